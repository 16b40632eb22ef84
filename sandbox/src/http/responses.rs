//! The sink for response documents.

use super::{Exchange, Exchanged, empty, exchange, log, lost, unheard};
use crate::fault::{Call, Target};
use crate::sink::{Received, is_signed};
use crate::world::World;
use axum::body::Body;
use axum::http::{Method, Response, StatusCode};

pub(super) fn handle(world: &World, request: &Exchanged) -> Response<Body> {
    if request.method != Method::PUT {
        return empty(StatusCode::METHOD_NOT_ALLOWED);
    }
    let path = request.uri.path();
    let exchange = exchange(
        world,
        Target {
            call: Call::Respond,
            type_name: "",
            text: path,
        },
    );
    let status = match &exchange {
        Exchange::Broken(status) => *status,
        Exchange::Refused(..) => StatusCode::FORBIDDEN,
        _ if !is_signed(path, request.uri.query().unwrap_or_default()) => StatusCode::FORBIDDEN,
        _ => StatusCode::OK,
    };
    let headers = request
        .headers
        .iter()
        .map(|(name, value)| {
            (
                name.as_str().to_owned(),
                String::from_utf8_lossy(value.as_bytes()).into_owned(),
            )
        })
        .collect();
    let received = Received {
        body: request.body.clone(),
        headers,
        status: status.as_u16(),
    };
    let response = match exchange {
        Exchange::Unheard => unheard(),
        Exchange::AnswerLost(loss) => lost(loss),
        _ => empty(status),
    };
    if !matches!(exchange, Exchange::Unheard) {
        world.state().sink.receive(path, received);
        world.arrivals.send_modify(|count| *count = count.wrapping_add(1));
    }
    log(world, Call::Respond, "", &response);
    response
}
