//! Connections and their requests. The only module that is asynchronous.
//!
//! Each bound has its place: connections are counted when they are accepted, heads and bodies must come in time, the
//! bytes of all bodies are counted before they are read, and places in the queue before a request waits there.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Either, Full, LengthLimitError, Limited};
use hyper::body::{Body as _, Bytes, Frame, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use sha2::{Digest, Sha256};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};
use tokio::time::{sleep, timeout, timeout_at};

use crate::access::{Token, admit, has_lines};
use crate::answer::{Answer, LINES};
use crate::fusion::{Patience, RunCode};
use crate::metrics::Metrics;
use crate::piston::Execute;
use crate::queue::{Queue, RequestDigest};
use crate::task::Work;

/// A head, a body, and room for the body must come within this time.
const TIME_TO_SEND: Duration = Duration::from_secs(30);
/// The largest body: as the longest line of `juror grade`.
pub const LARGEST_BODY: usize = 64 << 20;
/// The most bytes of all bodies that are in memory.
pub const MOST_BODY_BYTES: usize = 256 << 20;
/// If nothing can be accepted, such as without free descriptors, trying at once would not help.
const PAUSE: Duration = Duration::from_millis(100);
/// The unit in which bodies are counted.
const PAGE: usize = 4 << 10;

type Body = Either<Full<Bytes>, Results>;

/// Results of lines, as they come. Dropped when the client leaves.
struct Results(mpsc::Receiver<Bytes>);

impl hyper::body::Body for Results {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|result| result.map(|result| Ok(Frame::data(result))))
    }
}

pub struct Server {
    pub queue: Queue<Work>,
    pub metrics: Metrics,
    pub token: Option<Token>,
    /// How many lines of one request wait or run at the same time.
    pub lines_at_once: usize,
    connections: Arc<Semaphore>,
    most_connections: usize,
    body_pages: Arc<Semaphore>,
}

/// A body, and its share of the memory for bodies.
struct HeldBody {
    bytes: Bytes,
    _share: OwnedSemaphorePermit,
}

impl Server {
    pub fn new(
        queue: usize,
        connections: usize,
        token: Option<Token>,
        lines_at_once: usize,
    ) -> Self {
        Self {
            queue: Queue::new(queue),
            metrics: Metrics::default(),
            token,
            lines_at_once,
            connections: Arc::new(Semaphore::new(connections)),
            most_connections: connections,
            body_pages: Arc::new(Semaphore::new(MOST_BODY_BYTES / PAGE)),
        }
    }

    /// Answers until `end` is set, then finishes what runs.
    pub async fn serve(self: Arc<Self>, listener: TcpListener, mut end: watch::Receiver<bool>) {
        loop {
            let connections = Arc::clone(&self.connections);
            let accepted = async {
                // The semaphore is never closed.
                let permit = connections.acquire_owned().await.ok();
                (permit, listener.accept().await)
            };
            let (permit, accepted) = tokio::select! {
                accepted = accepted => accepted,
                _ = end.wait_for(|ends| *ends) => break,
            };
            match accepted {
                Ok((stream, peer)) => {
                    let (server, end) = (Arc::clone(&self), end.clone());
                    tokio::spawn(async move {
                        server.answer_all(stream, peer, end).await;
                        drop(permit);
                    });
                }
                Err(_) => sleep(PAUSE).await,
            }
        }
        drop(listener);
        self.queue.close();
        let all = u32::try_from(self.most_connections).unwrap_or(u32::MAX);
        _ = self.connections.acquire_many(all).await;
    }

    async fn answer_all(
        self: &Arc<Self>,
        stream: TcpStream,
        peer: SocketAddr,
        mut end: watch::Receiver<bool>,
    ) {
        _ = stream.set_nodelay(true);
        let service = service_fn(|request| {
            let server = Arc::clone(self);
            async move { Ok::<_, Infallible>(server.answer(request, peer).await) }
        });
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(TIME_TO_SEND).max_buf_size(64 << 10);
        let mut connection = Box::pin(builder.serve_connection(TokioIo::new(stream), service));
        // A client that leaves, or sends what is no HTTP, has itself to blame.
        tokio::select! {
            _ = connection.as_mut() => return,
            _ = end.wait_for(|ends| *ends) => connection.as_mut().graceful_shutdown(),
        }
        _ = connection.await;
    }

    async fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        peer: SocketAddr,
    ) -> Response<Body> {
        let path = request.uri().path().to_owned();
        let admitted = match &*path {
            // It says nothing that is worth a token.
            "/health" => Ok("/health"),
            path => admit(self.token, peer, request.headers(), path),
        };
        let (kind, answered) = match admitted {
            Ok(path) => self.answer_path(path, request).await,
            Err(answer) => ("other", Err(answer)),
        };
        match answered {
            Ok(stream) => stream,
            Err(answer) => {
                self.metrics.count_answer(kind, answer.status);
                response(answer)
            }
        }
    }

    /// Returns the kind of the request, too. Whatever is no stream of lines is an answer.
    async fn answer_path(
        self: &Arc<Self>,
        path: &str,
        request: Request<Incoming>,
    ) -> (&'static str, Result<Response<Body>, Answer>) {
        let (kind, method) = match path {
            "/health" => ("health", Method::GET),
            "/metrics" => ("metrics", Method::GET),
            "/languages" => ("languages", Method::GET),
            "/api/v2/runtimes" => ("runtimes", Method::GET),
            "/grade" => ("grade", Method::POST),
            "/run_code" => ("run_code", Method::POST),
            "/api/v2/execute" => ("execute", Method::POST),
            _ => {
                let message = "there is no such path; there are /grade, /run_code, /api/v2/execute, \
                     /api/v2/runtimes, /languages, /health and /metrics";
                return ("other", Err(Answer::refused(404, message)));
            }
        };
        if *request.method() != method {
            let allowed = if method == Method::GET { "GET" } else { "POST" };
            return (kind, Err(Answer::not_allowed(allowed)));
        }
        let answer = match kind {
            "health" => Answer::of(200, &serde_json::json!({ "status": "ok" })),
            "metrics" => {
                // One permit waits for the next connection.
                let free = self.connections.available_permits() + 1;
                let open = self.most_connections.saturating_sub(free);
                Answer::text(self.metrics.text(self.queue.counts(), open))
            }
            "languages" => self.ask(Work::Languages, kind.as_bytes()).await,
            "runtimes" => self.ask(Work::Runtimes, kind.as_bytes()).await,
            "grade" => return (kind, self.grade(request).await),
            _ => {
                let done = match kind {
                    "run_code" => self.run_code(request).await,
                    _ => self.execute(request).await,
                };
                done.unwrap_or_else(|answer| answer)
            }
        };
        (kind, Err(answer))
    }

    async fn grade(self: &Arc<Self>, request: Request<Incoming>) -> Result<Response<Body>, Answer> {
        if has_lines(request.headers())? {
            return self.grade_lines(request);
        }
        let body = self.read_body(request).await?;
        let work = Work::Line { number: 1, text: body.bytes.clone() };
        Err(self.ask(work, &body.bytes).await)
    }

    /// All lines are read, whether or not somebody takes their results: many clients send all before they read.
    fn grade_lines(self: &Arc<Self>, request: Request<Incoming>) -> Result<Response<Body>, Answer> {
        let (sender, results) = mpsc::channel(16);
        tokio::spawn(Arc::clone(self).read_lines(request, sender));
        let mut response = Response::new(Either::Right(Results(results)));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(LINES));
        self.metrics.count_answer("grade", 200);
        Ok(response)
    }

    async fn read_lines(self: Arc<Self>, request: Request<Incoming>, results: mpsc::Sender<Bytes>) {
        let lines = async {
            let body = Arc::new(self.read_body(request).await?);
            let at_once = Arc::new(Semaphore::new(self.lines_at_once));
            let mut rest = body.bytes.clone();
            let mut number = 0;
            while !rest.is_empty() && !results.is_closed() {
                let length =
                    rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
                let line = rest.split_to(length);
                number += 1;
                if line.trim_ascii().is_empty() {
                    continue;
                }
                let permit = Arc::clone(&at_once).acquire_owned().await;
                let (server, results) = (Arc::clone(&self), results.clone());
                // The share of the memory is given back with the last line.
                let body = Arc::clone(&body);
                tokio::spawn(async move {
                    let answer = tokio::select! {
                        answer = server.ask_for_line(number, line) => answer,
                        () = results.closed() => return,
                    };
                    _ = results.send(answer.body).await;
                    drop((permit, body));
                });
            }
            Ok(())
        };
        if let Err(answer) = lines.await {
            let answer: Answer = answer;
            _ = results.send(answer.with_line_end().body).await;
        }
    }

    /// Waits for room: a stream of lines is longer than any queue.
    async fn ask_for_line(&self, number: u64, text: Bytes) -> Answer {
        let digest = digest("grade", &[&number.to_le_bytes(), &*text].concat());
        loop {
            let work = Work::Line { number, text: text.clone() };
            match self.queue.join(digest, work) {
                Some(mut waits) => return received((&mut waits.answer).await).with_line_end(),
                None => sleep(PAUSE).await,
            }
        }
    }

    /// Refused if there is no room.
    async fn ask(&self, work: Work, key: &[u8]) -> Answer {
        match self.queue.join(digest(work.kind(), key), work) {
            Some(mut waits) => received((&mut waits.answer).await),
            None => Answer::refused(429, "too many requests wait; ask again later"),
        }
    }

    async fn execute(&self, request: Request<Incoming>) -> Result<Answer, Answer> {
        if has_lines(request.headers())? {
            return Err(Answer::refused(415, "the content type must be application/json"));
        }
        let body = self.read_body(request).await?;
        let work = Work::Execute(Execute::parse(&body.bytes)?);
        Ok(self.ask(work, &body.bytes).await)
    }

    async fn run_code(&self, request: Request<Incoming>) -> Result<Answer, Answer> {
        let came = Instant::now();
        if has_lines(request.headers())? {
            return Err(Answer::refused(415, "the content type must be application/json"));
        }
        let body = self.read_body(request).await?;
        let patience = RunCode::parse(&body.bytes)?.patience()?;
        let digest = digest("run_code", &body.bytes);
        let answer = self.ask_in_time(digest, &body, came, patience).await;
        // Clients repeat after this status, and after no other.
        let is_fault = answer.is_fault();
        Ok(if is_fault { answer.with_status(504) } else { answer })
    }

    /// Refuses before the client gives up, and holds its place.
    async fn ask_in_time(
        &self,
        digest: RequestDigest,
        body: &HeldBody,
        came: Instant,
        patience: Patience,
    ) -> Answer {
        let late = || Answer::refused(504, "the queue is too long; ask again, and go on waiting");
        let start = came + patience.start;
        let mut waits = loop {
            let work = match RunCode::parse(&body.bytes) {
                Ok(run) => Work::RunCode(run),
                Err(answer) => return answer,
            };
            match self.queue.join(digest, work) {
                Some(waits) => break waits,
                None if Instant::now() >= start => return late(),
                None => sleep(PAUSE).await,
            }
        };
        if let Ok(answer) = timeout_at(start.into(), &mut waits.answer).await {
            return received(answer);
        }
        if self.queue.is_waiting(&digest) {
            self.queue.hold(&digest);
            return late();
        }
        match timeout_at((came + patience.end).into(), &mut waits.answer).await {
            Ok(answer) => received(answer),
            Err(_) => {
                self.queue.hold(&digest);
                late()
            }
        }
    }

    async fn read_body(&self, request: Request<Incoming>) -> Result<HeldBody, Answer> {
        let too_large = || {
            let most = LARGEST_BODY >> 20;
            Answer::refused(413, format!("the body is too large: at most {most} MiB are read"))
        };
        let body = request.into_body();
        // Of a body in chunks, nobody knows.
        let length = body.size_hint().exact().unwrap_or(LARGEST_BODY as u64);
        let length = usize::try_from(length).ok().filter(|length| *length <= LARGEST_BODY);
        let length = length.ok_or_else(too_large)?;
        let pages = u32::try_from(length.div_ceil(PAGE)).unwrap_or(u32::MAX);
        let share = timeout(TIME_TO_SEND, Arc::clone(&self.body_pages).acquire_many_owned(pages));
        let Ok(Ok(share)) = share.await else {
            return Err(Answer::refused(429, "too many large requests are here; ask again later"));
        };
        match timeout(TIME_TO_SEND, Limited::new(body, LARGEST_BODY).collect()).await {
            Err(_) => Err(Answer::refused(408, "the body did not come in time")),
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
            Ok(Err(error)) => {
                Err(Answer::refused(400, format!("the body cannot be read: {error}")))
            }
            Ok(Ok(body)) => Ok(HeldBody { bytes: body.to_bytes(), _share: share }),
        }
    }
}

/// The server ends if the queue gives no answer.
fn received(answer: Result<Answer, oneshot::error::RecvError>) -> Answer {
    answer.unwrap_or_else(|_| Answer::refused(503, "the server ends; ask again"))
}

fn digest(kind: &str, text: &[u8]) -> RequestDigest {
    Sha256::new().chain_update(kind).chain_update([0]).chain_update(text).finalize().into()
}

fn response(answer: Answer) -> Response<Body> {
    let mut response = Response::new(Either::Left(Full::new(answer.body.clone())));
    response.headers_mut().extend(answer.headers());
    if let Ok(status) = answer.status.try_into() {
        *response.status_mut() = status;
    }
    response
}
