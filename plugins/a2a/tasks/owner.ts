/** Owns what replicas ask each other: changes of a task are passed to the replica whose agent works on it. */
import { type Channel, type ChannelHandler, ReplicaError, StateUnavailable } from 'svc/plugin'
import { A2aError, type SentError } from '../protocol/errors.ts'
import type { StoredConfig, TaskRun } from './task.ts'
import type { Message } from '../types.ts'

export interface FollowUp {
  readonly message: Message
  readonly config: StoredConfig | null
}

export type OwnerRequest =
  | { kind: 'cancel'; taskId: string }
  | ({ kind: 'message'; taskId: string } & FollowUp)
  | { kind: 'attach'; taskId: string; config: StoredConfig }
  | { kind: 'detach'; taskId: string; configId: string }
  /** To all replicas: drop what is not yet delivered. */
  | { kind: 'drop'; taskId: string; configId: string }

/** `idle`: no agent is at work any more, so whoever asks may make the change. */
type OwnerReply = { outcome: 'done' | 'idle' } | { outcome: 'refused'; error: SentError }

/** `here`: this replica works on the task, or none does. */
export type Outcome = 'done' | 'idle' | 'gone' | 'here'

/** No agent is at work on the task, so a message to it must start one. */
export class IdleTask extends Error {}

export class OwnerChannel {
  readonly #self: string
  readonly #channel: Pick<Channel<OwnerRequest, OwnerReply>, 'ask' | 'send'>

  /** `perform` makes the change that another replica asks for; it may throw `IdleTask` or an `A2aError`. */
  constructor(
    self: string,
    open: (
      handler: ChannelHandler<OwnerRequest, OwnerReply>,
    ) => Pick<Channel<OwnerRequest, OwnerReply>, 'ask' | 'send'>,
    perform: (request: OwnerRequest) => Promise<unknown>,
  ) {
    this.#self = self
    this.#channel = open({ on: request => answer(request, perform) })
  }

  /** Passes a request to the replica of a run. Throws the error with which it was refused. */
  async ask(run: TaskRun | null, request: OwnerRequest): Promise<Outcome> {
    if (run === null || run.replica === this.#self) return 'here'
    let reply: OwnerReply
    try {
      reply = await this.#channel.ask(run.replica, request)
    } catch (error) {
      if (!(error instanceof ReplicaError)) throw error
      if (error.code === 'REPLICA_GONE') return 'gone'
      throw new StateUnavailable('timeout', `the replica that works on the task did not reply: ${error.message}`)
    }
    if (reply.outcome === 'refused') throw A2aError.received(reply.error)
    return reply.outcome
  }

  /** Sends to all replicas, without waiting. */
  announce(request: OwnerRequest): void {
    this.#channel.send(request)
  }
}

async function answer(
  request: OwnerRequest,
  perform: (request: OwnerRequest) => Promise<unknown>,
): Promise<OwnerReply> {
  try {
    await perform(request)
    return { outcome: 'done' }
  } catch (error) {
    if (error instanceof IdleTask) return { outcome: 'idle' }
    if (error instanceof A2aError) return { outcome: 'refused', error: error.toSend() }
    throw error
  }
}
