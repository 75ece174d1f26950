/** Probe sessions: a nonce, the scripts of its steps, and what arrived. */
import { randomBytes } from 'node:crypto'
import type { JsonObject } from 'svc/plugin'
import { isRecord, type Arrival, type ArmedTap, type SvcTap, type TapReply } from 'svc/toolkit'
import type { OperationStep } from '../../graphql/types.ts'
import { Answered, answer, isOfModels, stepAt, type ScriptWriter } from './answer.ts'
import { arrivalRecord, messageRecord, type ArrivalRecord } from './arrival-record.ts'
import type { IgnoredPaths } from './ignored-paths.ts'
import { http2Writer } from './http2-writer.ts'
import { closeText, OPCODE } from '../client/websocket-frames.ts'
import { MAX_SCRIPTS_BYTES, MAX_STEPS, defaultScript, type Action, type StepScript } from './script.ts'
import type { Wire } from '../wires/types.ts'
import { isInSession, opensSocket, subgraphRequest } from './subgraph-requests.ts'

export const MAX_SESSIONS = 4
export const MAX_SESSION_S = 15 * 60
const MAX_ARRIVALS = 12_000
/** Bytes of arrivals that a session keeps; older ones are removed. */
const MAX_KEPT_BYTES = 24 * 1024 * 1024
/** As the tap keeps them. */
const MAX_KEPT_OF_ARRIVAL = 1280 * 1024
const MAX_MESSAGES = 1_000
/** Bytes of a message that are kept. */
const MAX_MESSAGE = 64 * 1024
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** 26 characters of 5 bits. */
export function createNonce(): string {
  return [...randomBytes(26)].map(byte => ALPHABET[byte % 32]).join('')
}

/** Scripts of a session that was open before this replica joined: the others have them. */
export type FindScript = (step: number) => Promise<StepScript | null>

/** What plugins add to all sessions. */
export interface UpstreamOptions {
  ignored: IgnoredPaths
  /** Formats of requests to models, also those that are added later. */
  wires: () => readonly Wire[]
}

interface SessionOptions extends UpstreamOptions {
  ttlMs: number
  nonces: SessionNonces
  onEnd: () => void
  /** Null if this replica gets every script when the others do. */
  findScript: FindScript | null
}

/** Those of some steps, or those behind a number of this replica. */
export interface SelectedArrivals {
  steps: readonly string[] | null
  after: number
}

/** The request that opened a socket. */
export interface Handshake {
  head: string
  peer: string
}

/** A message on a socket, which a route answers. */
export interface FoundMessage {
  step: JsonObject | null
  close: { code: number; reason: string } | null
}

interface Entry {
  number: number
  arrival: Arrival
  answered: Answered
  kept: number
}

/** What every replica knows of a session. */
export interface SessionNonces {
  id: string
  nonce: string
  field: string
}

export function createNonces(): SessionNonces {
  return { id: createNonce(), nonce: createNonce(), field: createNonce() }
}

export class ProbeSession {
  readonly id: string
  readonly nonce: string
  readonly field: string
  readonly expiresAt: Date
  /** The session was open before this replica joined. */
  readonly isJoined: boolean
  /** The replicas that had a part in it, and whether they have ended. */
  readonly members = new Map<string, { instance: string; isGone: boolean }>()
  readonly #findScript: FindScript | null
  readonly #wires: SessionOptions['wires']
  readonly #steps = new Map<number, StepScript>()
  /** Of each script, as JSON. */
  readonly #sizes = new Map<number, number>()
  #scriptBytes = 0
  #readsContent = false
  /** The step to which requests to subgraphs belong. */
  #ofSubgraphs: StepScript | null = null
  readonly #counts = new Map<number, number>()
  readonly #entries: Entry[] = []
  /** The same entries by their step. */
  readonly #byStep = new Map<string, Entry[]>()
  /** Messages on sockets. */
  readonly #messages: ArrivalRecord[] = []
  readonly #waiting = new Set<() => void>()
  #total = 0
  #bytes = 0
  readonly #armed: ArmedTap
  readonly #timer: NodeJS.Timeout
  readonly #now: () => number
  readonly #tap: SvcTap

  constructor(tap: SvcTap, { ttlMs, nonces, onEnd, findScript, ignored, wires }: SessionOptions) {
    this.id = nonces.id
    this.nonce = nonces.nonce
    this.field = nonces.field
    this.#tap = tap
    this.#now = () => tap.now()
    this.expiresAt = new Date(Date.now() + ttlMs)
    this.isJoined = findScript !== null
    this.#findScript = findScript
    this.#wires = wires
    // Its scripts are not known here, so any of them may need the content.
    this.#readsContent = this.isJoined
    this.#armed = tap.arm({
      id: nonces.nonce,
      claims: head => this.#claims(head, ignored),
      claimsContent: (head, content) =>
        this.#readsContent && !ignored.has(head.toString('latin1'))
          ? stepIn(content.toString('latin1'), this.field)
          : null,
      onArrival: () => {},
      answer: (arrival, reply) => this.#answer(arrival, answered => bytesWriter(reply, answered, this.#now)),
      answerHttp2: (arrival, reply) => {
        const method = arrival.head.toString('latin1', 0, arrival.head.indexOf(' '))
        this.#answer(arrival, answered => http2Writer(reply, { method, answered, now: this.#now }))
      },
      lifetimeMs: ttlMs,
    })
    this.#timer = setTimeout(onEnd, ttlMs)
    this.#timer.unref()
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#armed.disarm()
    for (const wake of this.#waiting) wake()
  }

  /** Adds scripts; returns false if there would be too many, or they would be too large. */
  addScripts(scripts: readonly StepScript[]): boolean {
    const added = new Map(scripts.map(script => [script.step, Buffer.byteLength(JSON.stringify(script))]))
    const isNew = [...added.keys()].filter(step => !this.#steps.has(step)).length
    let bytes = this.#scriptBytes
    for (const [step, size] of added) bytes += size - (this.#sizes.get(step) ?? 0)
    if (this.#steps.size + isNew > MAX_STEPS || bytes > MAX_SCRIPTS_BYTES) return false
    this.#scriptBytes = bytes
    for (const [step, size] of added) this.#sizes.set(step, size)
    for (const script of scripts) {
      this.#steps.set(script.step, script)
      this.#readsContent ||= script.content === true
      if (script.subgraphs !== undefined) this.#ofSubgraphs = script
    }
    return true
  }

  scriptOf(step: number): StepScript | null {
    return this.#steps.get(step) ?? null
  }

  /** Arrivals of these steps, or those after a number. */
  arrivals(select: SelectedArrivals, instance: string): ArrivalRecord[] {
    const steps = select.steps === null ? null : new Set(select.steps)
    const isSelected = (number: number, step: string): boolean => steps?.has(step) ?? number > select.after
    const entries =
      steps === null
        ? this.#entries.filter(({ number }) => number > select.after)
        : [...steps].flatMap(step => this.#byStep.get(step) ?? []).toSorted((a, b) => a.number - b.number)
    return [
      ...entries.map(({ number, arrival, answered }) => arrivalRecord({ number, instance }, arrival, answered)),
      ...this.#messages
        .filter(({ number, step }) => isSelected(number, step))
        .map(message => ({ ...message, instance })),
    ]
  }

  /**
   * What becomes of a message with these texts, and its arrival, with the head of the request that opened the socket. Null: it is
   * none of this session.
   */
  async takeMessage(text: string, handshake: Handshake): Promise<FoundMessage | null> {
    const step = stepIn(text, this.field)
    if (step === null) return null
    const found = this.scriptOf(Number(step)) ?? (await this.#findScript?.(Number(step))) ?? null
    if (found === null) return null
    this.#addMessage(found.step, text, handshake)
    const number = this.#counts.get(found.step)!
    const serve = found.script.find(action => action.do === 'serve')
    const frame = found.script.find(action => action.do === 'frame' && action.opcode === OPCODE.close)
    const close = frame?.do === 'frame' ? closeText(Buffer.from(frame.payload, 'latin1')) : ''
    const [code] = close.split(' ', 1)
    return {
      step: serve?.do === 'serve' ? stepAt(serve.step, number) : null,
      close: close === '' ? null : { code: Number(code), reason: close.slice(code!.length + 1) },
    }
  }

  /** What becomes of an operation on a socket of a subgraph, and its arrival. Null: it is not of this session. */
  takeOperation(operation: object, handshake: Handshake): OperationStep | null {
    const request = subgraphRequest(handshake.head)
    const open = this.#ofSubgraphs
    if (request === null || open === null || open.subgraphs !== request.prefix) return null
    const record = this.#addMessage(open.step, JSON.stringify(operation), handshake)
    record.ended = null
    const action = open.script.find(one => one.do === 'subgraph')
    const fault = (action?.do === 'subgraph' ? action.faults[request.name] : undefined) ?? null
    return {
      step: isRecord(fault) ? fault : null,
      instead: typeof fault !== 'string' ? null : fault === 'silent' ? 'silence' : 'reset',
      onEnd: () => {
        record.ended = 'fin'
        record.ended_ms = this.#now()
      },
    }
  }

  #addMessage(step: number, text: string, handshake: Handshake): ArrivalRecord {
    this.#counts.set(step, (this.#counts.get(step) ?? 0) + 1)
    const at = { number: ++this.#total, step: String(step), atMs: this.#now() }
    const record = messageRecord(at, handshake, Buffer.from(text).subarray(0, MAX_MESSAGE))
    if (this.#messages.length < MAX_MESSAGES) this.#messages.push(record)
    for (const wake of this.#waiting) wake()
    return record
  }

  get lastNumber(): number {
    return this.#total
  }

  /** Resolves when there is an arrival after this number, or the time is over. */
  async waitFor(after: number, ms: number): Promise<void> {
    if (this.#total > after || ms <= 0) return
    await new Promise<void>(resolve => {
      const done = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      this.#waiting.add(done)
    })
  }

  /** The step of a request: from the path behind the nonce, or from the field, or that of requests to subgraphs. */
  #claims(head: Buffer, ignored: IgnoredPaths): string | null {
    const text = head.toString('latin1')
    if (ignored.has(text)) return null
    const request = subgraphRequest(text)
    if (request !== null) {
      if (opensSocket(text)) return null
      const open = this.#ofSubgraphs
      return stepIn(text, this.field) ?? (open?.subgraphs === request.prefix ? String(open.step) : null)
    }
    // A gateway may use the routes of the session that has the nonce as its name.
    if (isInSession(text, this.nonce)) return stepIn(text, this.field)
    const inPath = text.indexOf(this.nonce)
    const ofPath =
      inPath === -1 ? null : /^\/[a-z0-9-]+\/(\d{1,6})(?!\d)/.exec(text.slice(inPath + this.nonce.length, inPath + 200))
    return ofPath?.[1] ?? stepIn(text, this.field) ?? (inPath === -1 ? null : '0')
  }

  #answer(arrival: Arrival, writerFor: (answered: Answered) => ScriptWriter): void {
    const step = Number(arrival.step)
    const number = (this.#counts.get(step) ?? 0) + 1
    this.#counts.set(step, number)
    const answered = new Answered()
    this.#add({ number: ++this.#total, arrival, answered, kept: 0 })
    const run = (found: StepScript | null): void => {
      const isUsable =
        found !== null &&
        !(found.http11 === true && arrival.protocol === '1.0') &&
        !(found.http2 === true && arrival.protocol !== '2')
      const wires = this.#wires()
      const isOther = found?.models === true && !isOfModels(arrival, wires)
      // The next request to a model has the number of this one.
      if (isOther) this.#counts.set(step, this.#counts.get(step)! - 1)
      const own = isUsable ? ((number > 1 ? found.next : undefined) ?? found.script) : defaultScript(step)
      const script: Action[] = isOther ? [{ do: 'serve', step: null }] : own
      const serve: SvcTap['serve'] = (claimed, serving) => this.#tap.serve(claimed, serving)
      void answer(arrival, writerFor(answered), { script, number, answered, serve, wires })
    }
    const known = this.scriptOf(step)
    if (known !== null || this.#findScript === null) return run(known)
    void this.#findScript(step).then(found => {
      if (found !== null) this.addScripts([found])
      run(found)
    })
  }

  #removeOldest(): void {
    const { kept, arrival } = this.#entries.shift()!
    this.#bytes -= kept
    const own = this.#byStep.get(arrival.step)!
    own.shift()
    if (own.length === 0) this.#byStep.delete(arrival.step)
  }

  #add(entry: Entry): void {
    this.#entries.push(entry)
    const own = this.#byStep.get(entry.arrival.step)
    if (own === undefined) this.#byStep.set(entry.arrival.step, [entry])
    else own.push(entry)
    void entry.arrival.whenEnded.then(() => {
      const { size, trailers } = entry.arrival
      entry.kept = Math.min(size, MAX_KEPT_OF_ARRIVAL) + trailers.reduce((sum, field) => sum + field.join().length, 0)
      this.#bytes += entry.kept
      while (this.#entries.length > 1 && this.#bytes > MAX_KEPT_BYTES) this.#removeOldest()
    })
    if (this.#entries.length > MAX_ARRIVALS) this.#removeOldest()
    for (const wake of this.#waiting) wake()
  }
}

/** The number behind the second nonce; 0 if there is none, null without the nonce. */
function stepIn(text: string, field: string): string | null {
  const at = text.indexOf(field)
  return at === -1 ? null : (/^-(\d{1,6})(?!\d)/.exec(text.slice(at + field.length, at + 50))?.[1] ?? '0')
}

/** Writes the bytes of a script as they are, and records them. */
function bytesWriter(reply: TapReply, answered: Answered, now: () => number): ScriptWriter {
  return {
    signal: reply.signal,
    write(bytes) {
      answered.add(bytes, now())
      return reply.write(bytes)
    },
    keep: () => reply.keep(),
    end: () => reply.end(),
    reset: () => reply.reset(),
    refuse: () => reply.reset(),
    goAway: () => reply.end(),
    onBytes: listener => reply.onBytes(listener),
  }
}

/** All sessions of the process; a live object, since each holds an armed tap. */
export class ProbeSessions {
  readonly #sessions = new Map<string, ProbeSession>()

  get all(): ProbeSession[] {
    return [...this.#sessions.values()]
  }

  /** Null if there are too many. */
  create(tap: SvcTap, options: Omit<SessionOptions, 'onEnd'>): ProbeSession | null {
    if (this.#sessions.size >= MAX_SESSIONS) return null
    const session: ProbeSession = new ProbeSession(tap, { ...options, onEnd: () => this.remove(session.id) })
    this.#sessions.set(session.id, session)
    return session
  }

  get(id: string): ProbeSession | undefined {
    return this.#sessions.get(id)
  }

  withNonce(nonce: string): ProbeSession | undefined {
    return [...this.#sessions.values()].find(session => session.nonce === nonce)
  }

  remove(id: string): boolean {
    this.#sessions.get(id)?.end()
    return this.#sessions.delete(id)
  }

  close(): void {
    for (const id of this.#sessions.keys()) this.remove(id)
  }
}
