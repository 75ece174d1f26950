/**
 * Runs the examples of a Markdown page as a reader would: in order, in one folder, against a fresh server.
 *
 * - `sh` and `js` blocks run. A `json` block right after one is what its output holds (part of it; `"…"` is anything), a
 *   `text` block the lines that come in it in this order (`…` is anything within a line).
 * - An `sh` block that ends with `npm start` is the server from there on, with the variables before it; a `yaml` block
 *   that begins with `# svc.yaml` is its configuration.
 * - `# exits with 56` in an `sh` block is the exit status that its last command has.
 * - An HTTP error that curl gets must stand in the block or in what is shown of its output.
 * - `console` blocks are not run: they need what is not on every machine.
 */
import type t from 'tap'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from './server.ts'
import type { TestServer } from './server.ts'

type Tap = Pick<typeof t, 'pass' | 'fail' | 'ok' | 'equal' | 'strictSame' | 'teardown' | 'test'>
export const root = join(import.meta.dirname, '..', '..')

export interface Block {
  language: string
  text: string
  /** Line of its fence, from 1. */
  line: number
  /** Line after its closing fence. */
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

/** Runs all examples of the page; `path` counts from the top of the project. Default of `server`: one of its own. */
export async function runExamples(t: Tap, path: string, server: TestServer | null = null): Promise<void> {
  await t.test(`${path} [DOC-1]`, async t => {
    const blocks = blocksOf(readFileSync(join(root, path), 'utf8'))
    const reader = new Reader(t, server)
    for (const [index, block] of blocks.entries()) {
      const next = blocks[index + 1]
      const shown =
        next !== undefined && next.line <= block.end + 2 && /^(?:json|text)$/.test(next.language) ? next : null
      await reader.read(block, shown, `${path}:${block.line}`)
    }
    if (path.startsWith('docs/')) t.ok(reader.count > 0, `${path} has examples`)
  })
}

/** The product needs neither; examples that a reader types do. */
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
  count = 0

  constructor(test: Tap, server: TestServer | null) {
    this.#t = test
    this.#server = server
    test.teardown(() => rmSync(this.#folder, { recursive: true, force: true }))
  }

  async read(block: Block, shown: Block | null, where: string): Promise<void> {
    if (block.language === 'yaml' && block.text.startsWith('# svc.yaml')) {
      await this.#start({ yaml: block.text })
      this.#t.strictSame((await this.#server!.host.reload()).load_errors, [], where)
    } else if (block.language === 'sh' && block.text.trim().endsWith('npm start')) {
      this.#environment = variablesOf(block.text)
      await this.#start({})
    } else if (block.language === 'sh' && block.text.startsWith('npm ci')) {
      // Installing and testing are the reader's; another test compares them.
    } else if (block.language === 'sh' || block.language === 'js') {
      if (this.#server === null) await this.#start({})
      await this.#run(block, shown, where)
    }
  }

  async #start({ yaml }: { yaml?: string }): Promise<void> {
    // Ports are free ones here, whatever the page says.
    const { SVC_HTTP_PORT: _http, SVC_HTTPS_PORT: _https, SVC_GRPC_PORT: _grpc, ...env } = this.#environment
    this.#server = await serve(this.#t, { env, ...(yaml === undefined ? {} : { yaml }) })
  }

  async #run({ language, text }: Block, shown: Block | null, where: string): Promise<void> {
    this.count++
    if (language === 'sh' && !hasShell) {
      this.#t.pass(where, { skip: 'bash and curl are not installed' })
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
      surprises(errors, text + (shown?.text ?? '')),
      [],
      `${where}: HTTP errors that nothing speaks of`,
    )
    if (shown === null) return
    const readable = this.#readable(output)
    const problem = shortfall(readable, shown)
    if (problem === null) this.#t.pass(`${where}: what is shown comes`)
    else this.#t.fail(`${where}: ${problem}`, { output: readable })
  }

  /** Ports of the page for those of the server. */
  #addressed(text: string): string {
    return this.#ports().reduce((code, [port, real]) => code.replaceAll(`localhost:${port}`, `localhost:${real}`), text)
  }

  #readable(text: string): string {
    return this.#ports().reduce((output, [port, real]) => output.replaceAll(String(real), port), text)
  }

  #ports(): [page: string, real: number][] {
    const { http, https, grpc } = this.#server!.ports
    return [
      ['8080', http!],
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

/** curl as it is, that also tells the status of each answer, and ends what goes to the reader with a line end. */
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

function runScript(code: string): Promise<Outcome> {
  return collect(
    spawn(process.execPath, ['--input-type=module', '-e', code], {
      cwd: root,
      env: { PATH: process.env.PATH, NODE_NO_WARNINGS: '1', NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
}

/** Milliseconds until an example hangs. */
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

/** What the output lacks of what is shown; null when it has it all. */
export function shortfall(output: string, shown: Block): string | null {
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

/** HTTP errors that curl got and the page does not speak of. */
export function surprises(errors: string, page: string): string[] {
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

/** Where `actual` lacks something of `shown`; null when it has it all. */
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

/** `…` stands for anything; blanks count as one. */
function isLike(actual: string, shown: string): boolean {
  const parts = shown.split('…').map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+'))
  return new RegExp(`^${parts.join('[^]*')}$`).test(actual)
}
