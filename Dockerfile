# The program alone, static, in an image with nothing else in it but certificates.
#
#   docker build --tag sre-zero .
#   docker run --rm sre-zero run
#   docker run --rm --volume "$PWD/runs:/runs" --env OPENAI_API_KEY sre-zero run --agents react --models openai/MODEL
#   docker run --rm --publish 127.0.0.1:8000:8000 --env SRE_ZERO_TOKEN sre-zero serve --host 0.0.0.0
FROM rust:1.95-alpine AS build
RUN apk add --no-cache bash musl-dev binutils ca-certificates
WORKDIR /build
COPY . .
RUN packaging/static.sh /out && mkdir /empty

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/sre-zero /usr/bin/sre-zero
# Runs are kept in /runs: mount a folder there.
COPY --from=build --chown=65532:65532 /empty /runs
COPY --from=build --chown=65532:65532 /empty /tmp
USER 65532:65532
WORKDIR /
ENTRYPOINT ["/usr/bin/sre-zero"]
CMD ["--help"]
