//! A client in the same process.

#![allow(dead_code)]

use cluster::api::{ApiBody, ApiRequest, ApiResponse, HttpMethod, WatchHandle};
use cluster::{Cluster, ClusterOptions, PlainPrograms};
use serde_json::{Value, json};

pub struct Client {
    pub cluster: Cluster,
    pub programs: PlainPrograms,
}

impl Client {
    /// A cluster of two nodes with the namespace `shop`.
    pub fn new() -> Self {
        Self::with(&ClusterOptions::default())
    }

    pub fn with(options: &ClusterOptions) -> Self {
        let mut client = Self { cluster: Cluster::new(options), programs: PlainPrograms::default() };
        client.made("/api/v1/namespaces", json!({"metadata": {"name": "shop"}}));
        client.made("/api/v1/namespaces/shop/serviceaccounts", json!({"metadata": {"name": "default"}}));
        client
    }

    pub fn call(&mut self, request: &ApiRequest) -> ApiResponse {
        self.cluster.call(&mut self.programs, request)
    }

    pub fn send(&mut self, method: HttpMethod, path: &str, body: &Value) -> (u16, Value) {
        let response = self.call(&ApiRequest::new(method, path).json(body));
        (response.status, response.value())
    }

    pub fn get(&mut self, path: &str) -> (u16, Value) {
        let response = self.call(&ApiRequest::new(HttpMethod::Get, path));
        (response.status, response.value())
    }

    pub fn made(&mut self, path: &str, body: Value) -> Value {
        let (status, answer) = self.send(HttpMethod::Post, path, &body);
        assert_eq!(status, 201, "{path}: {answer}");
        answer
    }

    pub fn patch(&mut self, kind: &str, path: &str, body: &Value) -> (u16, Value) {
        let request = ApiRequest::new(HttpMethod::Patch, path).typed(&format!("application/{kind}"), body.to_string());
        let response = self.call(&request);
        (response.status, response.value())
    }

    pub fn watch(&mut self, path: &str) -> WatchHandle {
        match self.call(&ApiRequest::new(HttpMethod::Get, path)).body {
            ApiBody::Watch(handle) => *handle,
            other => panic!("{path} is a watch, not {other:?}"),
        }
    }

    pub fn poll(&self, handle: &mut WatchHandle) -> Vec<Value> {
        let bytes = self.cluster.poll_watch(handle);
        let text = String::from_utf8(bytes).expect("text");
        text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }
}
