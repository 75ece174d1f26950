/**
 * Sessions of the whole deployment: every replica arms its own tap with the same nonces before a session is open, since the
 * gateway chooses where a request goes. A replica that joins arms its tap when it starts. Arrivals are collected from all.
 */
import { HttpError, refusal, type Channel, type Replicated, type Store, type Svc } from 'svc/plugin'
import type { ProbeSection } from '../options.ts'
import { shiftTimes, type ArrivalRecord } from './arrival-record.ts'
import { MAX_SCRIPTS_BYTES, MAX_STEPS, type StepScript } from './script.ts'
import {
  MAX_SESSIONS,
  MAX_SESSION_S,
  createNonces,
  type FindScript,
  type ProbeSession,
  type ProbeSessions,
  type SelectedArrivals,
  type SessionNonces,
  type UpstreamOptions,
} from './sessions.ts'

type Message =
  | { do: 'open'; nonces: SessionNonces; ttlS: number }
  | { do: 'joined'; id: string; instance: string }
  | { do: 'steps'; id: string; scripts: StepScript[] }
  | { do: 'script'; id: string; step: number }
  | { do: 'arrivals'; id: string; select: SelectedArrivals }
  | { do: 'close'; id: string }

interface Reply {
  isDone: boolean
  instance: string
  arrivals: ArrivalRecord[]
  script: StepScript | null
  /** Of the replica that replies, when it does. */
  clockMs: number
}

/** What a replica that joins reads. */
interface OpenSessions {
  sessions: (SessionNonces & { expiresAtMs: number })[]
}

export interface OpenSession {
  session: ProbeSession
  instances: string[]
}

const REPLY_MS = 5_000
const SCRIPT_MS = 2_000
/** With several upstreams that share a store, a run has a session for each. */
const MAX_RECORDED = 16

export class SharedSessions {
  readonly #svc: Svc<ProbeSection>
  readonly #sessions: ProbeSessions
  readonly #own: UpstreamOptions
  readonly #channel: Channel<Message, Reply>
  readonly #open: Replicated<OpenSessions>
  /** By session. Newer code of this plugin makes new sessions, and finds the scripts of the old ones here. */
  readonly #scripts: Store<StepScript>

  constructor(svc: Svc<ProbeSection>, sessions: ProbeSessions, own: UpstreamOptions) {
    this.#svc = svc
    this.#sessions = sessions
    this.#own = own
    this.#channel = svc.channel<Message, Reply>('sessions', { on: (message, from) => this.#on(message, from) })
    this.#open = svc.replicated<OpenSessions>('open-sessions', { initial: () => ({ sessions: [] }) })
    this.#scripts = svc.state<StepScript>('scripts', {
      maxCount: MAX_SESSIONS * MAX_STEPS,
      maxPerGroup: MAX_STEPS,
      ttlMs: MAX_SESSION_S * 1000,
    })
    let unsubscribe = (): void => {}
    svc.whenRegistered(() => {
      this.#join(this.#open.current)
      unsubscribe = this.#open.subscribe(open => this.#join(open))
    })
    svc.whenClosed(() => unsubscribe())
    svc.whenClosed(
      svc.replicas.onGone(replica => {
        for (const { members } of this.#sessions.all) {
          const member = members.get(replica)
          if (member !== undefined) member.isGone = true
        }
      }),
    )
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
    const session = this.#create(nonces, ttlS * 1000, null)
    if (session === null) throw tooMany()
    try {
      const replies = await this.#askOthers({ do: 'open', nonces, ttlS })
      if (replies.some(({ isDone }) => !isDone)) throw tooMany()
      const record = { ...nonces, expiresAtMs: session.expiresAt.getTime() }
      const now = Date.now()
      await this.#open.update(({ sessions }) => ({
        sessions: [...sessions.filter(({ expiresAtMs }) => expiresAtMs > now), record].slice(-MAX_RECORDED),
      }))
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
    if (!session.addScripts(scripts))
      throw refusal(
        400,
        'too_many_steps',
        `at most ${MAX_STEPS} steps, and ${MAX_SCRIPTS_BYTES / 1024 / 1024} MiB of scripts`,
      )
    const kept = this.#scripts.within(session.id)
    const ttlMs = Math.max(1, session.expiresAt.getTime() - Date.now())
    await Promise.all([
      this.#askOthers({ do: 'steps', id: session.id, scripts }),
      ...scripts.map(script => kept.set(String(script.step), script, { ttlMs })),
    ])
  }

  /** Times are those of this replica. */
  async arrivals(session: ProbeSession, select: SelectedArrivals): Promise<ArrivalRecord[]> {
    const { instance } = this.#svc
    const tap = this.#svc.use('core.tap')
    const before = tap.now()
    const replies = await this.#askOthers({ do: 'arrivals', id: session.id, select }, reply => {
      shiftTimes(reply.arrivals, (before + tap.now()) / 2 - reply.clockMs)
    })
    return [...session.arrivals(select, instance.id), ...replies.flatMap(({ arrivals }) => arrivals)]
  }

  /** The instances that have a part in the session, and those that had one and have ended. */
  members(session: ProbeSession): { instances: string[]; gone: string[] } {
    this.#addMembers(session)
    const members = [...session.members.values()]
    const names = (isGone: boolean): string[] =>
      members.filter(member => member.isGone === isGone).map(({ instance }) => instance)
    return { instances: names(false), gone: names(true) }
  }

  async close(id: string): Promise<void> {
    this.#sessions.remove(id)
    await this.#scripts.within(id).clear()
    if (this.#open.current.sessions.some(session => session.id === id))
      await this.#open.update(({ sessions }) => ({ sessions: sessions.filter(session => session.id !== id) }))
    if (this.#others.length > 0) await this.#channel.tell({ do: 'close', id })
  }

  /** Null if there are too many. */
  #create(nonces: SessionNonces, ttlMs: number, findScript: FindScript | null): ProbeSession | null {
    const session = this.#sessions.create(this.#svc.use('core.tap'), {
      ttlMs,
      nonces,
      findScript,
      ...this.#own,
    })
    if (session !== null) this.#addMembers(session)
    return session
  }

  #addMembers({ members }: ProbeSession): void {
    for (const { replica, instanceId } of this.#svc.replicas.list())
      if (!members.has(replica)) members.set(replica, { instance: instanceId, isGone: false })
  }

  /**
   * Opens the sessions that were open before this replica joined, or before the code of this plugin was replaced. The others may
   * not see it yet when they add a script, so it looks for each that it does not know.
   */
  #join({ sessions }: OpenSessions): void {
    const ids = new Set(sessions.map(({ id }) => id))
    for (const { id, isJoined } of this.#sessions.all) if (isJoined && !ids.has(id)) this.#sessions.remove(id)
    for (const { expiresAtMs, ...nonces } of sessions) {
      const ttlMs = expiresAtMs - Date.now()
      if (ttlMs <= 0 || this.#sessions.withNonce(nonces.nonce) !== undefined) continue
      const { id } = nonces
      const session = this.#create(nonces, ttlMs, step => this.#findScript(id, step))
      if (session !== null) this.#channel.send({ do: 'joined', id, instance: this.#svc.instance.id })
    }
  }

  /** From the store, or the reply of the first replica that knows it. */
  async #findScript(id: string, step: number): Promise<StepScript | null> {
    const kept = await this.#scripts
      .within(id)
      .get(String(step))
      .catch(() => undefined)
    if (kept !== undefined) return kept
    const message: Message = { do: 'script', id, step }
    const ask = async (replica: string): Promise<StepScript> => {
      const { script } = await this.#channel.ask(replica, message, { timeoutMs: SCRIPT_MS })
      if (script === null) throw new Error('not known there')
      return script
    }
    return Promise.any(this.#others.map(ask)).catch(() => null)
  }

  get #others(): string[] {
    const { replicas } = this.#svc
    return replicas.list().flatMap(({ replica }) => (replica === replicas.self ? [] : [replica]))
  }

  /** Rejects with an `HttpError` if one that lives does not reply. A session without others costs no message. */
  async #askOthers(message: Message, onReply: (reply: Reply) => void = () => {}): Promise<Reply[]> {
    const replies = await Promise.all(
      this.#others.map(async replica => {
        try {
          const reply = await this.#channel.ask(replica, message, { timeoutMs: REPLY_MS })
          onReply(reply)
          return [reply]
        } catch {
          if (!this.#others.includes(replica)) return []
          throw new HttpError(503, { error: 'replica_unreachable', details: `the replica ${replica} does not reply` })
        }
      }),
    )
    return replies.flat()
  }

  #on(message: Message, from: string): Reply {
    const { instance } = this.#svc
    const tap = this.#svc.use('core.tap')
    let isDone = true
    let arrivals: ArrivalRecord[] = []
    let script: StepScript | null = null
    switch (message.do) {
      case 'open':
        isDone =
          this.#sessions.get(message.nonces.id) !== undefined ||
          this.#create(message.nonces, message.ttlS * 1000, null) !== null
        break
      case 'joined':
        this.#sessions.get(message.id)?.members.set(from, { instance: message.instance, isGone: false })
        break
      case 'steps':
        isDone = this.#sessions.get(message.id)?.addScripts(message.scripts) ?? false
        break
      case 'script':
        script = this.#sessions.get(message.id)?.scriptOf(message.step) ?? null
        break
      case 'arrivals':
        arrivals = this.#sessions.get(message.id)?.arrivals(message.select, instance.id) ?? []
        break
      case 'close':
        this.#sessions.remove(message.id)
    }
    return { isDone, instance: instance.id, arrivals, script, clockMs: tap.now() }
  }
}

function tooMany(): HttpError {
  return new HttpError(429, { error: 'too_many_probes', details: `at most ${MAX_SESSIONS} sessions at a time` })
}
