/**
 * Runs the examples of a Markdown page as a reader would: in order, in one folder, against a new server.
 *
 * - `sh` and `js` blocks run. A `json` block right after one has to be contained in its output (`"…"` matches anything). A
 *   `text` block lists lines of the output in their order (`…` matches anything within a line).
 * - An `sh` block that ends with `npm start` starts the server for the following blocks, with the variables before the
 *   command; a `yaml` block that begins with `# svc.yaml` is its configuration, which may name the server itself as
 *   `localhost:8080`.
 * - With `SVC_STATE_STORE=local` before `npm start`, `SVC_WORKERS` servers start behind a balancer of requests, and a store. Without
 *   a program for the store, the examples do not run.
 * - `# exits with 56` in an `sh` block is the expected exit code of its last command.
 * - If curl gets an HTTP error, its status has to be in the block or in the output shown below it.
 * - `console` blocks do not run: they need programs that not every machine has.
 */
import type t from 'tap'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { serveReplicas } from './replica-group.ts'
import { serve, type TestServer } from './server.ts'
import { NEEDS_SERVER, STATE_SERVER } from './state-store.ts'
import { freePort } from './free-ports.ts'

type Tap = Pick<typeof t, 'pass' | 'fail' | 'ok' | 'equal' | 'strictSame' | 'teardown' | 'test'>
export const root = join(import.meta.dirname, '..', '..')

export interface Block {
  language: string
  text: string
  /** Line of the opening fence, from 1. */
  line: number
  /** Line after the closing fence. */
  end: number
}

/** The fenced blocks of a page, in order. */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  let open: Block | null = null
  markdown.split('\n').forEach((text, index) => {
    const fence = /^```(\w*)/.exec(text)
    if (open === null && fence !== null) open = { language: fence[1]!, text: '', line: index + 1, end: 0 }
    else if (open !== null && fence !== null) {
      blocks.push({ ...open, end: index + 1 })
      open = null
    } else if (open !== null) open.text += `${text}\n`
  })
  return blocks
}

/** Runs all examples of a page. `path` is relative to the project. Without `server`, the page gets its own. */
export async function runExamples(t: Tap, path: string, server: TestServer | null = null): Promise<void> {
  await t.test(`${path} [DOC-1]`, async t => {
    const page = readFileSync(join(root, path), 'utf8')
    const blocks = blocksOf(page)
    const reader = new Reader(t, server, page)
    await reader.begin()
    for (const [index, block] of blocks.entries()) {
      const next = blocks[index + 1]
      const shown =
        next !== undefined && next.line <= block.end + 2 && /^(?:json|text)$/.test(next.language) ? next : null
      await reader.read(block, shown, `${path}:${block.line}`)
    }
    await reader.checkModels()
    if (path.startsWith('docs/')) t.ok(reader.count > 0, `${path} has examples`)
  })
}

/** The rules of vendors that requests to a server have violated so far. */
export async function violatedRules({ url }: TestServer): Promise<string[]> {
  const response = await fetch(`${url}/_svc/metrics`)
  const text = response.ok ? await response.text() : ''
  return [...text.matchAll(/^svc_llm_violations_total\{rule="([^"]+)"/gm)].map(([, rule]) => rule!)
}

/** The server needs neither program; the examples do. */
const hasShell = ['bash', 'curl'].every(program => spawnSync(program, ['--version']).status === 0)

interface Outcome {
  code: number | null
  output: string
  errors: string
}

class Reader {
  readonly #t: Tap
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-docs-'))
  #server: TestServer | null
  #environment: Record<string, string> = {}
  readonly #page: string
  #lacksStore = false
  /** Rules that were violated before this page. */
  #violated: readonly string[] = []
  count = 0

  constructor(test: Tap, server: TestServer | null, page: string) {
    this.#t = test
    this.#server = server
    this.#page = page
    test.teardown(() => rmSync(this.#folder, { recursive: true, force: true }))
  }

  async begin(): Promise<void> {
    if (this.#server !== null) this.#violated = await violatedRules(this.#server)
  }

  /** What a vendor would refuse is a wrong example, unless the page names the rule. */
  async checkModels(): Promise<void> {
    if (this.#server === null) return
    const violated = await violatedRules(this.#server)
    this.#t.strictSame(
      violated.filter(rule => !this.#violated.includes(rule) && !this.#page.includes(rule)),
      [],
      'calls of models that a vendor would refuse',
    )
  }

  async read(block: Block, shown: Block | null, where: string): Promise<void> {
    if (block.language === 'yaml' && block.text.startsWith('# svc.yaml')) {
      await this.#start({ yaml: block.text })
      this.#t.strictSame((await this.#server!.host.reload()).load_errors, [], where)
    } else if (block.language === 'sh' && block.text.trim().endsWith('npm start')) {
      this.#environment = variablesOf(block.text)
      await this.#start({})
    } else if (block.language === 'sh' && block.text.startsWith('npm ci')) {
      // Commands that install or test the project do not run here; another test compares them.
    } else if (block.language === 'sh' || block.language === 'js') {
      if (this.#server === null) await this.#start({})
      await this.#run(block, shown, where)
    }
  }

  async #start({ yaml }: { yaml?: string }): Promise<void> {
    await this.checkModels()
    // The server uses free ports, whatever the page says.
    const { SVC_HTTP_PORT: _http, SVC_HTTPS_PORT: _https, SVC_GRPC_PORT: _grpc, ...env } = this.#environment
    this.#lacksStore = env.SVC_STATE_STORE === 'local' && STATE_SERVER === null
    if (env.SVC_STATE_STORE === 'local' && !this.#lacksStore) {
      const { SVC_WORKERS: count, ...rest } = env
      this.#server = await serveReplicas(this.#t, Number(count), { env: rest })
      this.#t.teardown(() => this.#server!.stop())
    } else if (yaml?.includes('localhost:8080')) {
      const port = await freePort()
      const own = {
        yaml: yaml.replaceAll('localhost:8080', `localhost:${port}`),
        env: { ...env, SVC_HTTP_PORT: `${port}` },
      }
      this.#server = await serve(this.#t, own)
    } else this.#server = await serve(this.#t, { env, ...(yaml === undefined ? {} : { yaml }) })
  }

  async #run({ language, text }: Block, shown: Block | null, where: string): Promise<void> {
    this.count++
    if (language === 'sh' && !hasShell) {
      this.#t.pass(where, { skip: 'bash and curl are not installed' })
      return
    }
    if (this.#lacksStore) {
      this.#t.pass(where, NEEDS_SERVER)
      return
    }
    const code = this.#addressed(text)
    const {
      code: status,
      output,
      errors,
    } = language === 'sh' ? await runShell(code, this.#folder) : await runScript(code)
    const wanted = Number(/# exits with (\d+)/.exec(text)?.[1] ?? 0)
    if (status !== wanted) this.#t.fail(`${where} exits with ${status}`, { output, errors })
    else this.#t.pass(`${where} exits with ${wanted}`)
    this.#t.strictSame(
      unmentionedErrors(errors, text + (shown?.text ?? '')),
      [],
      `${where}: HTTP errors that the page does not mention`,
    )
    if (shown === null) return
    const readable = this.#readable(output)
    const problem = findMismatch(readable, shown)
    if (problem === null) this.#t.pass(`${where}: the output is as shown`)
    else this.#t.fail(`${where}: ${problem}`, { output: readable })
  }

  /** Replaces the page's ports with the server's. */
  #addressed(text: string): string {
    return this.#ports().reduce((code, [port, real]) => code.replaceAll(`localhost:${port}`, `localhost:${real}`), text)
  }

  #readable(text: string): string {
    return this.#ports().reduce((output, [port, real]) => output.replaceAll(String(real), port), text)
  }

  #ports(): [page: string, real: number][] {
    const { https, grpc } = this.#server!.ports
    return [
      ['8080', Number(new URL(this.#server!.url).port)],
      ['8443', https!],
      ['50051', grpc!],
    ]
  }
}

/** `A=b C='d e' npm start`, over several lines too. */
function variablesOf(text: string): Record<string, string> {
  const found = text.matchAll(/\b([A-Z][A-Z0-9_]*)=(?:'([^']*)'|"([^"]*)"|(\S*))/g)
  return Object.fromEntries([...found].map(([, name, single, double, bare]) => [name!, single ?? double ?? bare ?? '']))
}

/** curl, which also reports the status of each response and ends its output with a line break. */
export const CURL = `curl() {
  command curl -w '%{stderr}<<status %{http_code}>>' "$@"
  local status=$? self=$BASHPID
  [ "$(readlink /proc/$self/fd/1)" != "$(readlink /proc/$$/fd/1)" ] || echo
  return $status
}
`

function runShell(code: string, cwd: string): Promise<Outcome> {
  return collect(
    spawn('bash', ['-eo', 'pipefail', '-c', CURL + code], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}

const SDK_PACKAGES = pathToFileURL(join(root, 'test', 'support', 'sdk-packages.mjs')).href

function runScript(code: string): Promise<Outcome> {
  return collect(
    spawn(process.execPath, ['--import', SDK_PACKAGES, '--input-type=module', '-e', code], {
      cwd: root,
      env: { PATH: process.env.PATH, NODE_NO_WARNINGS: '1', NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}

/** Milliseconds after which an example counts as hanging. */
const PATIENCE_MS = 40_000

function collect(child: ReturnType<typeof spawn>): Promise<Outcome> {
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS)
  let output = ''
  let errors = ''
  child.stdout!.on('data', chunk => {
    output += chunk
  })
  child.stderr!.on('data', chunk => {
    errors += chunk
  })
  return new Promise(resolve =>
    child.on('close', code => {
      clearTimeout(timer)
      resolve({ code, output, errors })
    }),
  )
}

/** Describes the first difference between the output and what the page shows; null if there is none. */
export function findMismatch(output: string, shown: Block): string | null {
  if (shown.language === 'json') return difference(parsed(output), parsed(shown.text), '')
  const lines = output.split('\n').map(line => line.trim())
  let from = 0
  for (const line of shown.text
    .split('\n')
    .map(text => text.trim())
    .filter(text => text !== '' && text !== '…')) {
    const at = lines.findIndex((candidate, index) => index >= from && isLike(candidate, line))
    if (at === -1) return `no line "${line}"`
    from = at + 1
  }
  return null
}

/** HTTP errors that curl got and the page does not mention. */
export function unmentionedErrors(errors: string, page: string): string[] {
  return [...errors.matchAll(/<<status ([45]\d\d)>>/g)]
    .map(([, status]) => status!)
    .filter(status => !page.includes(status))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Describes where `actual` does not contain `shown`; null if it does. */
function difference(actual: unknown, shown: unknown, at: string): string | null {
  if (typeof shown === 'string')
    return (typeof actual === 'string' && isLike(actual, shown)) || (shown === '…' && actual !== undefined)
      ? null
      : `${at}: ${JSON.stringify(actual)}`
  if (typeof shown !== 'object' || shown === null)
    return Object.is(actual, shown) ? null : `${at}: ${JSON.stringify(actual)}`
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual) !== Array.isArray(shown))
    return `${at}: ${JSON.stringify(actual)}`
  const entries = Object.entries(shown).filter(([, value]) => !(Array.isArray(shown) && value === '…'))
  if (Array.isArray(shown) && !shown.includes('…') && shown.length !== (actual as unknown[]).length)
    return `${at}: ${(actual as unknown[]).length} items`
  for (const [key, value] of entries) {
    const problem = difference((actual as Record<string, unknown>)[key], value, `${at}/${key}`)
    if (problem !== null) return problem
  }
  return null
}

/** `…` matches anything; repeated spaces count as one. */
function isLike(actual: string, shown: string): boolean {
  const parts = shown.split('…').map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+'))
  return new RegExp(`^${parts.join('[^]*')}$`).test(actual)
}
