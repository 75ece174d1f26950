/**
 * Compares svc with httpbin and go-httpbin, field by field:
 *
 *     node --import tsx test/originals/run.ts [--httpbin=URL] [--go-httpbin=URL] [--record]
 *
 * Without a URL it starts the server itself: httpbin if `python3` (or $PYTHON) has the package, go-httpbin if the command is
 * in the path, in $GO_HTTPBIN or in Go's folder of commands. A server that is not there is left out. `--record` also
 * writes the responses that the tests compare with. Exits with 1 if there are differences.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { launch } from '../../core/testing/launch.ts'
import type { Original } from '../../plugins/httpbin/operation.ts'
import { CASES, uncompared } from './cases.ts'
import { compare, exchange, HOST, nameOf, type Reply } from './exchange.ts'
import { freePort } from '../support/free-ports.ts'

const ORIGINALS: readonly Original[] = ['httpbin', 'go-httpbin']
const fixtures = join(import.meta.dirname, '../fixtures/httpbin')
const children: ChildProcess[] = []

const HTTPBIN = `
import sys
from werkzeug.serving import WSGIRequestHandler
WSGIRequestHandler.protocol_version = 'HTTP/1.1'
from httpbin import app
app.run(host='127.0.0.1', port=int(sys.argv[1]), threaded=True)
`

/** The command of an original that is installed, or null. */
function commandOf(original: Original, port: number): [command: string, args: string[]] | null {
  if (original === 'httpbin') {
    const python = process.env.PYTHON ?? 'python3'
    const found = spawnSync(python, ['-c', 'import httpbin'], { stdio: 'ignore' }).status === 0
    return found ? [python, ['-c', HTTPBIN, String(port)]] : null
  }
  const folder = spawnSync('go', ['env', 'GOPATH'], { encoding: 'utf8' }).stdout?.trim()
  const candidates = [process.env.GO_HTTPBIN, 'go-httpbin', folder && join(folder, 'bin/go-httpbin')]
  const command = candidates.find(
    name => name && spawnSync(name, ['-version'], { stdio: 'ignore' }).error === undefined,
  )
  return command ? [command, ['-host', '127.0.0.1', '-port', String(port)]] : null
}

/** The URL of an original that runs, or null. */
async function start(original: Original): Promise<string | null> {
  const given = process.argv.find(argument => argument.startsWith(`--${original}=`))
  if (given !== undefined) return given.slice(given.indexOf('=') + 1)
  const port = await freePort()
  const command = commandOf(original, port)
  if (command === null) return null
  children.push(spawn(...command, { stdio: 'ignore' }))
  const url = `http://127.0.0.1:${port}`
  for (let attempt = 0; attempt < 100; attempt++) {
    const isUp = await fetch(`${url}/get`).then(
      response => response.ok,
      () => false,
    )
    if (isUp) return url
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  throw new Error(`${original} did not start`)
}

async function compareWith(original: Original, url: string): Promise<number> {
  await using svc = await launch({
    plugins: ['httpbin', 'images', 'transfer'],
    settings: { httpbin: { hosts: [{ host: HOST, serve: original }] } },
  })
  const recorded: Record<string, Reply> = {}
  let different = 0
  let asked = 0
  for (const one of CASES) {
    const fields = uncompared(one, original)
    if (fields.has('*')) continue
    asked++
    const expected = await exchange(url, one)
    // What is not compared is not recorded either: texts of the originals are theirs.
    recorded[nameOf(one)] = fields.has('body') ? { ...expected, body: '' } : expected
    const lines = compare(expected, await exchange(svc.url, one), fields)
    if (lines.length === 0) continue
    different++
    console.log(`${original}: ${nameOf(one)}\n${lines.map(line => `  ${line}`).join('\n')}`)
  }
  console.log(`${original}: ${asked - different} of ${asked} responses are the same`)
  if (process.argv.includes('--record'))
    await writeFile(join(fixtures, `${original}.json`), `${JSON.stringify(recorded, null, 1)}\n`)
  return different
}

let different = 0
try {
  for (const original of ORIGINALS) {
    const url = await start(original)
    if (url === null) console.log(`${original}: not installed`)
    else different += await compareWith(original, url)
  }
} finally {
  for (const child of children) child.kill()
}
process.exitCode = different === 0 ? 0 : 1
