/**
 * `svc/testing`: starts a server for tests of plugins, gateways and clients. It works with every test runner.
 *
 *     const server = await startTestServer({ folders: [import.meta.dirname], plugins: ['orders'] })
 *     const response = await fetch(`${server.url}/orders`)
 *     await server.stop()
 */
import { launch } from './launch.ts'
import { launchReplicas } from './replicas.ts'
import * as client from './client.mjs'
import type { TestClient, TestReplicas, TestReplicasOptions, TestServer, TestServerOptions } from './types.ts'
import type { Unverified } from './verification-types.ts'

export type {
  RequestFilter,
  TestClient,
  TestReplicas,
  TestReplicasOptions,
  TestScope,
  TestServer,
  TestServerOptions,
  TestSession,
} from './types.ts'
export type { JsonValue, Match, Rule, Step, StoredRule, ValueTest } from '../contract/rule-types.ts'
export type { CapturedMatch, ClosestRequest, Har, HarEntry, Verification, Verified } from './verification-types.ts'
export type { InspectorEntry, LoadError, PluginRecord, ReloadResult } from '../contract/plugin.ts'

/**
 * Starts a server in this process, on free ports of 127.0.0.1. Rejects if the options contradict each other. Failed plugins
 * are listed in `plugins()`, invalid settings in `problems()`.
 */
export const startTestServer: (options?: TestServerOptions) => Promise<TestServer> = launch

/**
 * Starts several servers that share their state, in this process, to test a plugin as replicas run it. Rejects if one of them
 * can't start.
 */
export const startReplicas: (count: number, options?: TestReplicasOptions) => Promise<TestReplicas> = launchReplicas

/**
 * Connects to a running instance: by default the one of `SVC_URL`. `token` is its admin token, by default that of
 * `SVC_ADMIN_TOKEN`. Makes no request; throws if there is no URL.
 */
export const connect: (url?: string, options?: { token?: string }) => TestClient = client.connect

/** A response that is not a success, or no response. */
export interface TestClientError extends Error {
  /** 0 without a response. */
  readonly status: number
  /** The error's word, such as `invalid_rule`; empty without one. */
  readonly error: string
  /** What the error says in words; may be empty. */
  readonly details: string
  /** The parsed JSON, or the text. */
  readonly body: unknown
}
export const TestClientError: new (status: number, body: unknown, options?: ErrorOptions) => TestClientError =
  client.TestClientError

/** The requests that came are not the expected ones. The message names the closest one and how it differs. */
export interface VerificationError extends Error, Unverified {}
export const VerificationError: new (message: string, details: Unverified) => VerificationError =
  client.VerificationError
