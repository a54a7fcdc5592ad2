//! Statuses, with what providers and proxies say beside them.

use harness::ProviderFault::{
    Authentication, ContextTooLong, EmptyReply, Filtered, MalformedReply, RateLimit, Refused, ServerError, Timeout,
};

use super::Dialect::{Chat, Converse, Gemini, Messages, Responses};
use super::Means::{Answer, Fault, ForGood};
use super::Sends::{Bytes, Status};
use super::{Mode, Wire, mode};

const JSON: &str = "content-type: application/json";
const HTML: &str = "content-type: text/html";
const PAGE: &str = "<html><title>Bad gateway</title></html>";
const AWAY: &str = "location: http://127.0.0.1:9/v1/chat/completions";
const NEAR: &str = "location: /v1/elsewhere";

pub const MODES: &[Mode] = &[
    mode(Chat, "status-201", Bytes(|good| Wire::reply(201, JSON, &good.body())), Answer),
    mode(Chat, "status-202-empty", Status(202, JSON, ""), Fault(EmptyReply, "202: the reply has no body")),
    mode(Chat, "status-204", Status(204, "", ""), Fault(EmptyReply, "204: the reply has no body")),
    mode(Chat, "status-206-half", Bytes(half), Fault(MalformedReply, "206: the reply is no JSON")),
    // Another address is never followed with a key.
    mode(Chat, "status-300", Status(300, AWAY, ""), ForGood(Refused, "300: the provider sends us elsewhere")),
    mode(Chat, "status-301", Status(301, AWAY, ""), ForGood(Refused, "301: the provider sends us elsewhere")),
    mode(Chat, "status-302", Status(302, AWAY, PAGE), ForGood(Refused, "302: the provider sends us elsewhere")),
    mode(Chat, "status-303", Status(303, NEAR, ""), ForGood(Refused, "303: the provider sends us elsewhere")),
    mode(Chat, "status-304", Status(304, "", ""), ForGood(Refused, "304: the provider sends us elsewhere")),
    mode(Chat, "status-307", Status(307, AWAY, ""), ForGood(Refused, "307: the provider sends us elsewhere")),
    mode(Chat, "status-308-near", Status(308, NEAR, ""), ForGood(Refused, "308: the provider sends us elsewhere")),
    mode(Messages, "status-307-no-place", Status(307, "", ""), ForGood(Refused, "307: the provider sends us")),
    mode(Gemini, "status-308-itself", Status(308, "location: ?", ""), ForGood(Refused, "308: the provider sends us")),
    mode(Chat, "status-400", Status(400, JSON, r#"{"error":{"message":"no"}}"#), ForGood(Refused, "400: no")),
    mode(Chat, "status-400-silent", Status(400, "", ""), ForGood(Refused, "400: the request was refused")),
    mode(
        Chat,
        "status-400-context",
        Status(400, JSON, r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#),
        ForGood(ContextTooLong, "400: too long"),
    ),
    mode(
        Chat,
        "status-400-filter",
        Status(400, JSON, r#"{"error":{"code":"content_filter","message":"held back"}}"#),
        ForGood(Filtered, "400: held back"),
    ),
    mode(
        Chat,
        "status-400-key",
        Status(400, JSON, r#"{"error":{"code":"invalid_api_key","message":"wrong key"}}"#),
        ForGood(Authentication, "400: wrong key"),
    ),
    mode(
        Chat,
        "status-400-garbled-call",
        Status(400, JSON, r#"{"error":{"code":"tool_use_failed","message":"no such call"}}"#),
        Fault(MalformedReply, "400: no such call"),
    ),
    mode(Chat, "status-401", Status(401, JSON, "{}"), ForGood(Authentication, "401: the key was refused")),
    mode(Chat, "status-402", Status(402, JSON, "{}"), ForGood(RateLimit, "402: ")),
    mode(Chat, "status-403", Status(403, HTML, PAGE), ForGood(Authentication, "403: the key was refused")),
    mode(
        Chat,
        "status-403-moderation",
        Status(403, JSON, r#"{"error":{"message":"flagged","metadata":{"reasons":["x"]}}}"#),
        ForGood(Filtered, "403: flagged"),
    ),
    mode(Chat, "status-404", Status(404, HTML, PAGE), ForGood(Refused, "404: nothing is there")),
    mode(Chat, "status-405", Status(405, "", ""), ForGood(Refused, "405: ")),
    mode(Chat, "status-407", Status(407, "", ""), ForGood(Authentication, "407: ")),
    mode(Chat, "status-408", Status(408, "", ""), Fault(Timeout, "408: the provider gave up waiting")),
    mode(Chat, "status-409", Status(409, JSON, r#"{"detail":"conflict"}"#), Fault(ServerError, "409: conflict")),
    mode(Chat, "status-410", Status(410, "", ""), ForGood(Refused, "410: ")),
    mode(Chat, "status-413", Status(413, HTML, PAGE), ForGood(ContextTooLong, "413: ")),
    mode(Chat, "status-415", Status(415, "", "take it back"), ForGood(Refused, "415: take it back")),
    mode(Chat, "status-418", Status(418, "", "short and stout"), ForGood(Refused, "418: short and stout")),
    mode(Chat, "status-421", Status(421, "", ""), ForGood(Refused, "421: ")),
    mode(Chat, "status-422", Status(422, JSON, r#"{"detail":[{"msg":"bad"}]}"#), ForGood(Refused, "422: ")),
    mode(Chat, "status-424", Status(424, "", ""), Fault(ServerError, "424: ")),
    mode(Chat, "status-425", Status(425, "", ""), Fault(ServerError, "425: ")),
    mode(Chat, "status-429", Status(429, JSON, r#"{"error":"slow down"}"#), Fault(RateLimit, "429: slow down")),
    mode(
        Chat,
        "status-429-quota",
        Status(429, JSON, r#"{"error":{"code":"insufficient_quota","message":"you have no credit"}}"#),
        ForGood(RateLimit, "429: you have no credit"),
    ),
    mode(Chat, "status-431", Status(431, "", ""), ForGood(Refused, "431: ")),
    mode(Chat, "status-451", Status(451, "", "not in your land"), ForGood(Refused, "451: not in your land")),
    mode(Chat, "status-498", Status(498, "", ""), Fault(RateLimit, "498: ")),
    mode(Chat, "status-500", Status(500, JSON, r#"{"error":{}}"#), Fault(ServerError, "500: something is wrong")),
    mode(Chat, "status-500-array", Status(500, JSON, "[[[]]]"), Fault(ServerError, "500: something is wrong")),
    mode(Chat, "status-501", Status(501, "", ""), Fault(ServerError, "501: something is wrong")),
    mode(Chat, "status-502-page", Status(502, HTML, PAGE), Fault(ServerError, "502: something is wrong")),
    mode(Chat, "status-503", Status(503, "", "no healthy upstream"), Fault(ServerError, "503: no healthy upstream")),
    mode(Chat, "status-504", Status(504, HTML, PAGE), Fault(ServerError, "504: something is wrong")),
    mode(Chat, "status-505", Status(505, "", ""), Fault(ServerError, "505: ")),
    mode(Chat, "status-507", Status(507, "", ""), Fault(ServerError, "507: ")),
    mode(Chat, "status-511", Status(511, HTML, PAGE), Fault(ServerError, "511: ")),
    mode(Chat, "status-520", Status(520, HTML, PAGE), Fault(ServerError, "520: ")),
    mode(Chat, "status-522", Status(522, HTML, PAGE), Fault(ServerError, "522: ")),
    mode(Chat, "status-524", Status(524, HTML, PAGE), Fault(ServerError, "524: ")),
    mode(Chat, "status-529", Status(529, "", ""), Fault(ServerError, "529: the provider is overloaded")),
    mode(Chat, "status-599", Status(599, "", ""), Fault(ServerError, "599: ")),
    mode(Chat, "status-700", Status(700, "", ""), Fault(ServerError, "700: ")),
    mode(Chat, "status-999", Status(999, JSON, "{}"), Fault(ServerError, "999: ")),
    // As each provider words it.
    mode(
        Messages,
        "messages-overloaded",
        Status(529, JSON, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
        Fault(ServerError, "529: Overloaded"),
    ),
    mode(
        Messages,
        "messages-no-credit",
        Status(400, JSON, r#"{"type":"error","error":{"message":"Your credit balance is too low"}}"#),
        ForGood(RateLimit, "400: Your credit balance is too low"),
    ),
    mode(
        Gemini,
        "gemini-key",
        Status(
            400,
            JSON,
            r#"[{"error":{"code":400,"message":"API key not valid","details":[{"reason":"API_KEY_INVALID"}]}}]"#,
        ),
        ForGood(Authentication, "400: API key not valid"),
    ),
    mode(
        Gemini,
        "gemini-quota",
        Status(429, JSON, r#"{"error":{"code":429,"message":"Quota","details":[{"retryDelay":"0s"}]}}"#),
        Fault(RateLimit, "429: Quota"),
    ),
    mode(
        Converse,
        "converse-throttled",
        Status(400, "x-amzn-errortype: ThrottlingException", r#"{"message":"Too many tokens"}"#),
        Fault(RateLimit, "400: Too many tokens"),
    ),
    mode(
        Converse,
        "converse-expired",
        Status(403, "x-amzn-errortype: ExpiredTokenException", r#"{"message":"The security token is expired"}"#),
        ForGood(Authentication, "403: The security token is expired"),
    ),
    mode(
        Converse,
        "converse-too-long",
        Status(400, JSON, r#"{"__type":"ValidationException","message":"Input is too long for requested model."}"#),
        ForGood(ContextTooLong, "400: Input is too long"),
    ),
    mode(
        Responses,
        "responses-no-model",
        Status(404, JSON, r#"{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}"#),
        ForGood(Refused, "404: The model `x` does not exist"),
    ),
];

fn half(good: &super::Good) -> Wire {
    let body = good.body();
    Wire::reply(206, JSON, &body[..body.len() / 2])
}
