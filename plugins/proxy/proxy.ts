/** The upstreams of one generation: their modes, counts, recordings and positions in sequences. */
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { hasPassed, Redactor, type RuleFileSet, viaName } from 'svc/toolkit'
import type { FastifyReply, FastifyRequest, Replicated, Store, Svc } from 'svc/plugin'
import type { Mode, UpstreamOptions } from './config/options.ts'
import type { Upstream } from './config/upstream.ts'
import { FixtureFile } from './conversations/fixture-file.ts'
import { fixtureRuleOf } from './conversations/fixture-rule.ts'
import { noRecording, notSupported, proxyDisabled, proxyLoop, unknownUpstream } from './errors.ts'
import type { HeaderLine } from './forwarded-headers.ts'
import { applyConditions } from './exchange/conditions.ts'
import { forward } from './exchange/forward.ts'
import { replay } from './exchange/replay.ts'
import { createClient } from './exchange/upstream-request.ts'
import { RecordingFolder, type Found } from './recordings/folder.ts'
import type { RecordedResponse } from './recordings/recording.ts'
import { recordedHeader, shapeOf, type AskedRequest, type RequestShape } from './recordings/request-shape.ts'
import { normalizePath, splitTarget, targetPath } from './target-path.ts'

/** Modes that the control plane has set, by upstream. */
export type Modes = Record<string, Mode>

/** What is served of an upstream. */
export interface ServedTarget {
  /** Path below the upstream, and query, as received. */
  target: string
  /** The path at which clients find the upstream, without a slash at its end. */
  mount: string
  /** Sent to the upstream, in place of fields of the client. */
  setHeaders?: readonly HeaderLine[]
  /** Fields of the client that are not sent to the upstream, in lower case. */
  removeHeaders?: ReadonlySet<string>
}

export type CountKind = 'recorded' | 'replayed' | 'missed'

export interface ProxyState {
  modes: Replicated<Modes>
  /** By `<upstream> <kind>`. */
  counts: Store<number>
  /** Number of replays, by `<session> <upstream> <key>`. */
  positions: Store<number>
  /** Pending writes by folder, so that generations do not write at the same time. */
  writes: Map<string, Promise<unknown>>
}

const CLOSEST = 3
const FIXTURES = 'fixtures.yaml'

interface Served {
  upstream: Upstream
  folder: RecordingFolder
  client: ReturnType<typeof createClient>
  /** The rules of its conversations; null without `as: llm`. */
  fixtures: { file: FixtureFile; rules: RuleFileSet } | null
  /** Whether the warning about a bound was logged. */
  hasWarned: boolean
}

export class Proxy {
  readonly #svc: Svc<UpstreamOptions[]>
  readonly #state: ProxyState
  readonly #served: ReadonlyMap<string, Served>

  constructor(svc: Svc<UpstreamOptions[]>, upstreams: readonly Upstream[], state: ProxyState) {
    this.#svc = svc
    this.#state = state
    const invalid = (file: string, message: string): void => {
      svc.reportLoadError({ file, at: null, message, remedy: 'correct or remove the recording' })
      svc.log.warn('recording ignored', { file, reason: message })
    }
    this.#served = new Map(
      upstreams.map(upstream => [
        upstream.name,
        {
          upstream,
          folder: new RecordingFolder(upstream, { invalid }),
          client: createClient(upstream),
          fixtures: null,
          hasWarned: false,
        },
      ]),
    )
  }

  get names(): string[] {
    return [...this.#served.keys()]
  }

  /** Reads the folders, and the rules of conversations. */
  async load(): Promise<void> {
    await Promise.all([...this.#served.values()].map(({ folder }) => folder.refresh()))
    for (const served of this.#served.values()) {
      const { name, folder, isLlm } = served.upstream
      if (!isLlm) continue
      const file = new FixtureFile(join(folder, FIXTURES), name)
      const rules = await this.#svc.use('testing.rules').add({ paths: [file.path], at: 'proxy', isOwn: true })
      served.fixtures = { file, rules }
    }
  }

  close(): void {
    for (const { client } of this.#served.values()) client.close()
  }

  /** Switches a mode until the next reload. Throws `unknown_upstream`. */
  async setMode(name: string, mode: Mode): Promise<void> {
    this.#require(name)
    await this.#state.modes.update(modes => ({ ...modes, [name]: mode }))
  }

  /** The upstream as the control plane shows it. Throws `unknown_upstream`. */
  async show(name: string) {
    const { upstream, folder } = this.#require(name)
    await folder.refresh()
    const count = async (kind: CountKind): Promise<number> => (await this.#state.counts.peek(`${name} ${kind}`)) ?? 0
    return {
      name,
      target: upstream.target.href,
      path: `/proxy/${name}`,
      mode: this.#modeOf(upstream),
      configured_mode: upstream.mode,
      recorded: await count('recorded'),
      replayed: await count('replayed'),
      missed: await count('missed'),
      recordings: { files: folder.fileCount, bytes: folder.bytes, full: folder.isFull },
    }
  }

  /** Forgets the positions of a session, or all. Returns their number. */
  reset(session: string | null): Promise<number> {
    const prefix = session === null ? '' : `${session} `
    return this.#state.positions.clear((_, key) => key.startsWith(prefix))
  }

  /** Serves a request below `/proxy/<name>`, or one that a rule forwards. */
  async serve(
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
    { target, mount, setHeaders = [], removeHeaders = NO_HEADERS }: ServedTarget,
  ): Promise<FastifyReply> {
    const svc = this.#svc
    if (svc.config.publicMode) throw proxyDisabled()
    if (hasPassed(request.headers.via, viaName(svc.instance.id))) throw proxyLoop()
    // The upstream may be out of reach for the page, and svc may add credentials.
    svc.http.guardBrowser(request)
    const served = this.#require(name)
    if (request.headers.upgrade?.toLowerCase() === 'websocket') throw notSupported()
    const upstream = withHeaders(served.upstream, setHeaders)
    const { path: given, query } = splitTarget(target)
    const path = normalizePath(given)
    const requested = targetPath(upstream, path, query)
    const mode = this.#modeOf(upstream)
    const exchange = {
      request,
      reply,
      upstream,
      requested,
      mount,
      removeHeaders,
      client: served.client.send,
      body: svc.http.bodyStream(request),
    }
    const secrets = new Set<string>()
    const redactor = new Redactor({ onSecret: secret => void secrets.add(secret) })
    let asked: AskedRequest | undefined
    const header = (field: string): string | undefined => joined(request.headers[field])
    /** Once the request is complete. */
    const readAsked = (): AskedRequest =>
      (asked ??= {
        shape: shapeOf(
          upstream,
          { method: request.method, path, query, header, body: svc.http.receivedBody(request) },
          redactor,
        ),
        header: field => recordedHeader(upstream, field, header(field) ?? '', redactor),
      })
    const forwarded = {
      ...exchange,
      secrets: () => {
        readAsked()
        return secrets
      },
    }
    if (mode === 'passthrough') return forward(svc, { ...forwarded, record: null })
    if (mode === 'replay' || (mode !== 'record' && (await served.folder.has(request.method, path)))) {
      forwarded.body = await completeBody(svc, request, forwarded.body)
      const complete = readAsked()
      const found = await this.#find(served, complete, mode)
      if (found !== undefined) {
        void this.#count(name, 'replayed')
        const recorded = await this.#next(request, name, found)
        return replay(svc, forwarded, found.isUnconditional ? applyConditions(request, recorded) : recorded)
      }
      if (mode === 'replay') {
        void this.#count(name, 'missed')
        const closest = await served.folder.closest(complete, CLOSEST)
        throw noRecording({ upstream: name, method: request.method, path }, closest)
      }
    }
    const isFull = served.folder.isFull
    if (isFull) this.#warn(served)
    const record = (response: RecordedResponse): Promise<void> => this.#record(served, readAsked(), response)
    return forward(svc, { ...forwarded, record: isFull ? null : record })
  }

  #require(name: string): Served {
    const served = this.#served.get(name)
    if (served === undefined) throw unknownUpstream(name, this.names)
    return served
  }

  #modeOf({ name, mode }: Upstream): Mode {
    const { current } = this.#state.modes
    return (Object.hasOwn(current, name) ? current[name] : undefined) ?? mode
  }

  async #find({ folder, upstream }: Served, asked: AskedRequest, mode: Mode): Promise<Found | undefined> {
    const exact = await folder.find(asked)
    // With `replay-or-record`, what is missing is recorded.
    return exact ?? (mode === 'replay' && upstream.onMiss === 'nearest' ? folder.findNearest(asked) : undefined)
  }

  /** The response whose turn it is; the last one again and again. */
  async #next(request: FastifyRequest, name: string, { key, responses }: Found): Promise<RecordedResponse> {
    if (responses.length === 1) return responses[0]!
    const session = this.#svc.http.session(request).key
    const turn = await this.#state.positions.increment(`${session} ${name} ${key}`, 1, { group: session })
    return responses[Math.min(turn, responses.length) - 1]!
  }

  /** Failures are logged: the client has its response. */
  async #record(served: Served, asked: AskedRequest, response: RecordedResponse): Promise<void> {
    const { upstream, folder } = served
    const { writes } = this.#state
    const before = writes.get(upstream.folder) ?? Promise.resolve()
    const written = before.then(async () => {
      try {
        if (await folder.record(asked, response)) void this.#count(upstream.name, 'recorded')
        else this.#warn(served)
        await this.#recordRule(served, asked.shape, response)
      } catch (error) {
        this.#svc.log.error('the response could not be recorded', { upstream: upstream.name, error })
      }
    })
    writes.set(upstream.folder, written)
    await written
    if (writes.get(upstream.folder) === written) writes.delete(upstream.folder)
  }

  async #recordRule({ upstream, fixtures }: Served, shape: RequestShape, response: RecordedResponse): Promise<void> {
    const rule = fixtures === null ? null : fixtureRuleOf(upstream, shape, response)
    if (rule !== null && (await fixtures!.file.add(rule))) await fixtures!.rules.refresh()
  }

  #warn(served: Served): void {
    if (served.hasWarned) return
    served.hasWarned = true
    this.#svc.log.warn('responses are not recorded: the folder of recordings is full', {
      upstream: served.upstream.name,
    })
  }

  async #count(name: string, kind: CountKind): Promise<void> {
    await this.#state.counts.increment(`${name} ${kind}`).catch(() => {})
  }
}

const NO_HEADERS: ReadonlySet<string> = new Set()

/** The upstream with headers that a rule adds, or has in place of those of `svc.yaml`. */
function withHeaders(upstream: Upstream, headers: readonly HeaderLine[]): Upstream {
  if (headers.length === 0) return upstream
  const replaced = new Set(headers.map(([name]) => name.toLowerCase()))
  const kept = upstream.setHeaders.filter(([name]) => !replaced.has(name.toLowerCase()))
  return { ...upstream, setHeaders: [...kept, ...headers] }
}

function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}

/** Waits for the whole body, which decides what is replayed. */
async function completeBody(
  svc: Svc<unknown>,
  request: FastifyRequest,
  body: AsyncIterable<Buffer> | null,
): Promise<AsyncIterable<Buffer> | null> {
  if (body === null) return null
  for await (const _piece of body);
  return Readable.from([svc.http.receivedBody(request)])
}
