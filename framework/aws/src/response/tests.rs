use super::*;
use crate::testing::{closed_port, http, log, silent};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

const DOCUMENT: &str = r#"{"Status":"SUCCESS","PhysicalResourceId":"grüße"}"#;
const SIGNED: &str = "/arn%3Aaws%3Acloudformation%3Aeu-central-1%3A1%3Astack/s/%7Cr?AWSAccessKeyId=A&Expires=1&Signature=a%2Bb/c%3D&x-amz-security-token=T~_-.+*&empty=&flag";

fn body() -> ResponseBody {
    ResponseBody::read(DOCUMENT.as_bytes().to_vec()).unwrap()
}

fn sender(allowed: &[&str]) -> ResponsePut {
    ResponsePut::new(&http(), allowed.iter().map(|host| host.parse().unwrap()))
}

/// Answers one request with the text and hands back its head and body.
async fn raw_server(answer: &'static str) -> (String, JoinHandle<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let seen = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut text = Vec::new();
        loop {
            let read = stream.read_buf(&mut text).await.unwrap();
            let so_far = String::from_utf8_lossy(&text).into_owned();
            if read == 0 || so_far.ends_with('}') {
                stream.write_all(answer.as_bytes()).await.unwrap();
                let (head, body) = so_far.split_once("\r\n\r\n").unwrap();
                return (head.to_owned(), body.to_owned());
            }
        }
    });
    (address, seen)
}

#[tokio::test]
async fn the_put_is_exact() {
    let (address, seen) = raw_server("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let url = ResponseUrl::new(format!("http://{address}{SIGNED}"));
    sender(&[&address]).put(&url, &body()).await.unwrap();

    let (head, sent) = seen.await.unwrap();
    let mut lines = head.lines();
    assert_eq!(lines.next().unwrap(), format!("PUT {SIGNED} HTTP/1.1"));
    let headers: Vec<_> = lines.map(|line| line.split_once(':').unwrap()).collect();
    let values = |name: &str| -> Vec<&str> {
        let named = headers
            .iter()
            .filter(|(header, _)| header.eq_ignore_ascii_case(name));
        named.map(|(_, value)| value.trim()).collect()
    };
    assert_eq!(values("content-type"), [""]);
    assert_eq!(values("content-length"), [DOCUMENT.len().to_string()]);
    assert_eq!(values("host"), [address]);
    assert!(
        values("transfer-encoding").is_empty() && values("authorization").is_empty(),
        "{head}"
    );
    assert_eq!(sent, DOCUMENT);
}

#[tokio::test]
async fn only_a_2xx_is_success_and_no_redirect_is_followed() {
    let cases = [
        ("HTTP/1.1 204 No Content\r\n\r\n", Ok(())),
        (
            "HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n",
            Err(SendError::Status(307)),
        ),
        (
            "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n",
            Err(SendError::Status(403)),
        ),
        (
            "HTTP/1.1 503 Slow Down\r\ncontent-length: 0\r\n\r\n",
            Err(SendError::Status(503)),
        ),
    ];
    for (answer, expected) in cases {
        let (address, _seen) = raw_server(answer).await;
        let url = ResponseUrl::new(format!("http://{address}/a?b"));
        assert_eq!(sender(&[&address]).put(&url, &body()).await, expected, "{answer}");
    }
}

#[tokio::test]
async fn a_network_error_does_not_tell_the_url() {
    let (_taken, closed) = closed_port();
    let (hang_up, _seen) = raw_server("").await;
    for origin in [
        closed,
        format!("http://{hang_up}"),
        "http://localhost.invalid".into(),
    ] {
        let url = format!("{origin}/key?X-Amz-Signature=f00d");
        let hosts = ["127.0.0.1", "localhost.invalid"];
        let error = sender(&hosts)
            .put(&ResponseUrl::new(url), &body())
            .await
            .unwrap_err();
        assert!(matches!(error, SendError::Network(_)), "{error:?}");
        for part in ["f00d", "X-Amz", "/key", "localhost.invalid", "127.0.0.1"] {
            assert!(!format!("{error} {error:?}").contains(part), "{error:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn silence_ends() {
    let url = ResponseUrl::new(format!("{}/key", silent().await));
    let error = sender(&["127.0.0.1"]).put(&url, &body()).await.unwrap_err();
    assert!(matches!(error, SendError::Network(_)), "{error:?}");
}

#[test]
fn hosts_are_judged() {
    const HOST: &str = "its host is not allowed";
    const PLAIN: &str = "plain http is not allowed for its host";
    let cases = [
        (
            "https://cloudformation-custom-resource-response-euc1.s3.eu-central-1.amazonaws.com/k?s",
            Ok(()),
        ),
        ("https://bucket.s3.cn-north-1.amazonaws.com.cn/k", Ok(())),
        ("https://BUCKET.S3.AMAZONAWS.COM/k", Ok(())),
        ("https://bucket.s3.amazonaws.com:8443/k", Ok(())),
        ("http://bucket.s3.amazonaws.com/k", Err(PLAIN)),
        ("https://amazonaws.com/k", Err(HOST)),
        ("https://evilamazonaws.com/k", Err(HOST)),
        ("https://bucket.amazonaws.com.evil.example/k", Err(HOST)),
        ("https://bucket.amazonaws.com./k", Err(HOST)),
        ("https://evil.example/.amazonaws.com", Err(HOST)),
        ("https://evil.example#.amazonaws.com", Err(HOST)),
        ("https://evil.example?.amazonaws.com", Err(HOST)),
        ("https://evil.example\\.amazonaws.com/k", Err(HOST)),
        (
            "https://bucket.s3.amazonaws.com@evil.example/k",
            Err("it has a user name"),
        ),
        (
            "https://:secret@bucket.s3.amazonaws.com/k",
            Err("it has a user name"),
        ),
        ("https://169.254.169.254/latest/meta-data", Err(HOST)),
        ("http://localhost/k", Ok(())),
        ("https://localhost:1/k", Ok(())),
        ("http://LOCALHOST:9/k", Ok(())),
        ("http://127.0.0.1:4566/k", Ok(())),
        ("http://0x7f.1:4566/k", Ok(())),
        ("http://127.0.0.1:4567/k", Err(HOST)),
        ("http://127.0.0.1/k", Err(HOST)),
        ("https://web.example/k", Ok(())),
        ("http://web.example:443/k", Ok(())),
        ("http://web.example/k", Err(HOST)),
        ("http://[0:0::1]:80/k", Ok(())),
        ("http://[::2]/k", Err(HOST)),
        ("ftp://localhost/k", Err("its scheme is neither https nor http")),
        ("file:///etc/passwd", Err("its scheme is neither https nor http")),
        ("localhost/k", Err("it is not a URL")),
        ("", Err("it is not a URL")),
        ("{{ResponseURL}}", Err("it is not a URL")),
    ];
    let sender = sender(&["localhost", "127.0.0.1:4566", "web.example:443", "[::1]"]);
    for (url, expected) in cases {
        let judged = sender.judge(url).map(|_| ());
        assert_eq!(
            judged,
            expected.map_err(|problem| SendError::Refused(problem.into())),
            "{url}"
        );
    }
}

#[test]
fn without_allowed_hosts_there_is_aws_alone() {
    let sender = sender(&[]);
    assert!(sender.judge("https://bucket.s3.amazonaws.com/k").is_ok());
    assert!(sender.judge("http://localhost/k").is_err());
}

#[test]
fn allowed_hosts_are_read() {
    let cases = [
        ("localhost", Some("localhost")),
        ("LocalHost:9000", Some("localhost:9000")),
        ("localhost:80", Some("localhost:80")),
        ("[::1]:8080", Some("[::1]:8080")),
        ("[0::1]", Some("[::1]")),
        ("10.0.0.1", Some("10.0.0.1")),
        ("", None),
        ("http://localhost", None),
        ("localhost/path", None),
        ("localhost?query", None),
        ("localhost#part", None),
        ("user@localhost", None),
        ("localhost:", None),
        ("localhost:port", None),
        ("localhost:70000", None),
        ("*.example.com", None),
        ("two hosts", None),
        (" localhost", None),
    ];
    for (text, expected) in cases {
        let read = text.parse::<AllowedHost>();
        assert_eq!(
            read.as_ref().ok().map(ToString::to_string).as_deref(),
            expected,
            "{text}"
        );
        if let Err(error) = read {
            assert_eq!(
                error.to_string(),
                format!("`{text}` is no host, expected `host` or `host:port`")
            );
        }
    }
}

#[tokio::test]
async fn no_log_level_shows_the_url() {
    let (address, _seen) = raw_server("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n").await;
    let (log, _guard) = log();
    tracing::info!("begin");
    let url = ResponseUrl::new(format!("http://{address}/key?X-Amz-Signature=f00d"));
    sender(&[&address]).put(&url, &body()).await.unwrap_err();
    let text = log.text();
    assert!(text.contains("begin"), "nothing was logged at all");
    for part in ["f00d", "X-Amz", "/key"] {
        assert!(!text.contains(part), "{text}");
    }
}
