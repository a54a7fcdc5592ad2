//! Values of queries as JSON.

use crate::json::{write_labels, write_point, write_string, write_time};
use crate::promql::{Point, QueryValue, ResultSeries};

/// `{"resultType":…,"result":…}`.
pub(super) fn write_result(out: &mut String, value: &QueryValue, time: i64, stats: bool) {
    let name = match value {
        QueryValue::Scalar(_) => "scalar",
        QueryValue::Text(_) => "string",
        QueryValue::Vector(_) => "vector",
        QueryValue::Matrix(_) => "matrix",
    };
    out.push_str(&format!("{{\"resultType\":\"{name}\",\"result\":"));
    match value {
        QueryValue::Scalar(value) => write_point(out, Point { time, value: *value }),
        QueryValue::Text(text) => {
            out.push('[');
            write_time(out, time);
            out.push(',');
            write_string(out, text);
            out.push(']');
        }
        QueryValue::Vector(series) => write_list(out, series, |out, series| {
            out.push_str(",\"value\":");
            write_point(out, series.points[0]);
        }),
        QueryValue::Matrix(series) => write_list(out, series, |out, series| {
            out.push_str(",\"values\":[");
            for (i, point) in series.points.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_point(out, *point);
            }
            out.push(']');
        }),
    }
    if stats {
        out.push_str(&stats_of(value));
    }
    out.push('}');
}

fn write_list(out: &mut String, series: &[ResultSeries], write: impl Fn(&mut String, &ResultSeries)) {
    out.push('[');
    for (i, one) in series.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str("{\"metric\":");
        write_labels(out, &one.labels);
        write(out, one);
        out.push('}');
    }
    out.push(']');
}

/// Times are zero: nothing here has a clock.
fn stats_of(value: &QueryValue) -> String {
    let samples: usize = match value {
        QueryValue::Scalar(_) | QueryValue::Text(_) => 0,
        QueryValue::Vector(series) | QueryValue::Matrix(series) => series.iter().map(|s| s.points.len()).sum(),
    };
    format!(
        ",\"stats\":{{\"timings\":{{\"evalTotalTime\":0,\"resultSortTime\":0,\"queryPreparationTime\":0,\
         \"innerEvalTime\":0,\"execQueueTime\":0,\"execTotalTime\":0}},\
         \"samples\":{{\"totalQueryableSamples\":{samples},\"peakSamples\":{samples}}}}}"
    )
}
