/**
 * Sessions of the whole deployment: every replica arms its own tap with the same nonces before a session is open, since the
 * gateway chooses where a request goes. Arrivals are collected from all.
 */
import { HttpError, refusal } from 'svc/plugin'
import type { Channel, Svc } from 'svc/plugin'
import type { ProbeSection } from '../options.ts'
import { shiftTimes } from './arrival-record.ts'
import type { ArrivalRecord } from './arrival-record.ts'
import { MAX_STEPS } from './script.ts'
import type { StepScript } from './script.ts'
import { MAX_SESSIONS, createNonces } from './sessions.ts'
import type { ProbeSession, ProbeSessions, SelectedArrivals, SessionNonces } from './sessions.ts'

type Message =
  | { do: 'open'; nonces: SessionNonces; ttlS: number }
  | { do: 'steps'; id: string; scripts: StepScript[] }
  | { do: 'arrivals'; id: string; select: SelectedArrivals }
  | { do: 'close'; id: string }

interface Reply {
  isDone: boolean
  instance: string
  arrivals: ArrivalRecord[]
  /** Of the replica that replies, when it does. */
  clockMs: number
}

export interface OpenSession {
  session: ProbeSession
  instances: string[]
}

const REPLY_MS = 5_000

export class SharedSessions {
  readonly #svc: Svc<ProbeSection>
  readonly #sessions: ProbeSessions
  readonly #channel: Channel<Message, Reply>

  constructor(svc: Svc<ProbeSection>, sessions: ProbeSessions) {
    this.#svc = svc
    this.#sessions = sessions
    this.#channel = svc.channel<Message, Reply>('sessions', { on: message => this.#on(message) })
  }

  /**
   * Throws an `HttpError` if a replica has too many sessions or does not reply, and for workers without a store. With `nonces`, the session is that of another
   * upstream; it may be known here already.
   */
  async open(ttlS: number, wanted: Omit<SessionNonces, 'id'> | null): Promise<OpenSession> {
    const { workers, stateStore } = this.#svc.config
    if (workers > 1 && stateStore.url === null)
      throw new HttpError(409, {
        error: 'state_store_required',
        details: 'behind one port, the processes of SVC_WORKERS cannot be distinguished',
        remedy: 'set SVC_STATE_STORE=local',
      })
    const known = wanted === null ? undefined : this.#sessions.withNonce(wanted.nonce)
    if (known !== undefined) return { session: known, instances: [this.#svc.instance.id] }
    const nonces = { ...createNonces(), ...wanted }
    const session = this.#sessions.create(this.#svc.tap, ttlS, nonces)
    if (session === null) throw tooMany()
    try {
      const replies = await this.#askOthers({ do: 'open', nonces, ttlS })
      if (replies.some(({ isDone }) => !isDone)) throw tooMany()
      return { session, instances: [this.#svc.instance.id, ...replies.map(({ instance }) => instance)] }
    } catch (error) {
      await this.close(session.id)
      throw error
    }
  }

  get(id: string): ProbeSession | undefined {
    return this.#sessions.get(id)
  }

  /** Throws an `HttpError` if there are too many. */
  async addScripts(session: ProbeSession, scripts: StepScript[]): Promise<void> {
    if (!session.addScripts(scripts)) throw refusal(400, 'too_many_steps', `at most ${MAX_STEPS} steps`)
    await this.#askOthers({ do: 'steps', id: session.id, scripts })
  }

  /** Times are those of this replica. */
  async arrivals(session: ProbeSession, select: SelectedArrivals): Promise<ArrivalRecord[]> {
    const { tap, instance } = this.#svc
    const before = tap.now()
    const replies = await this.#askOthers({ do: 'arrivals', id: session.id, select }, reply => {
      shiftTimes(reply.arrivals, (before + tap.now()) / 2 - reply.clockMs)
    })
    return [...session.arrivals(select, instance.id), ...replies.flatMap(({ arrivals }) => arrivals)]
  }

  async close(id: string): Promise<void> {
    this.#sessions.remove(id)
    if (this.#others.length > 0) await this.#channel.tell({ do: 'close', id })
  }

  get #others(): string[] {
    const { replicas } = this.#svc
    return replicas.list().flatMap(({ replica }) => (replica === replicas.self ? [] : [replica]))
  }

  /** Rejects with an `HttpError` if one does not reply. A session without others costs no message. */
  async #askOthers(message: Message, onReply: (reply: Reply) => void = () => {}): Promise<Reply[]> {
    return Promise.all(
      this.#others.map(async replica => {
        try {
          const reply = await this.#channel.ask(replica, message, { timeoutMs: REPLY_MS })
          onReply(reply)
          return reply
        } catch {
          throw new HttpError(503, { error: 'replica_unreachable', details: `the replica ${replica} does not reply` })
        }
      }),
    )
  }

  #on(message: Message): Reply {
    const { tap, instance } = this.#svc
    let isDone = true
    let arrivals: ArrivalRecord[] = []
    switch (message.do) {
      case 'open':
        isDone = this.#sessions.create(tap, message.ttlS, message.nonces) !== null
        break
      case 'steps':
        isDone = this.#sessions.get(message.id)?.addScripts(message.scripts) ?? false
        break
      case 'arrivals':
        arrivals = this.#sessions.get(message.id)?.arrivals(message.select, instance.id) ?? []
        break
      case 'close':
        this.#sessions.remove(message.id)
    }
    return { isDone, instance: instance.id, arrivals, clockMs: tap.now() }
  }
}

function tooMany(): HttpError {
  return new HttpError(429, { error: 'too_many_probes', details: `at most ${MAX_SESSIONS} sessions at a time` })
}
