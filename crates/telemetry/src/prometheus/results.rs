//! Values of queries as JSON.

use crate::json::{write_labels, write_point, write_string, write_time};
use crate::promql::{Point, QueryValue};

/// `{"resultType":…,"result":…}`.
pub(super) fn write_result(out: &mut String, value: &QueryValue<'_>, time: i64, stats: bool) {
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
        QueryValue::Vector(vector) => write_list(out, vector.iter(), |out, (labels, point)| {
            write_labels(out, &labels);
            out.push_str(",\"value\":");
            write_point(out, point);
        }),
        QueryValue::Matrix(series) => write_list(out, series.iter(), |out, series| {
            write_labels(out, &series.labels);
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

fn write_list<T>(out: &mut String, series: impl Iterator<Item = T>, write: impl Fn(&mut String, T)) {
    out.push('[');
    for (i, one) in series.enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str("{\"metric\":");
        write(out, one);
        out.push('}');
    }
    out.push(']');
}

/// Times are zero: nothing here has a clock.
fn stats_of(value: &QueryValue<'_>) -> String {
    let samples: usize = match value {
        QueryValue::Scalar(_) | QueryValue::Text(_) => 0,
        QueryValue::Vector(vector) => vector.len(),
        QueryValue::Matrix(series) => series.iter().map(|s| s.points.len()).sum(),
    };
    format!(
        ",\"stats\":{{\"timings\":{{\"evalTotalTime\":0,\"resultSortTime\":0,\"queryPreparationTime\":0,\
         \"innerEvalTime\":0,\"execQueueTime\":0,\"execTotalTime\":0}},\
         \"samples\":{{\"totalQueryableSamples\":{samples},\"peakSamples\":{samples}}}}}"
    )
}
