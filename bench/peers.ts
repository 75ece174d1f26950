/**
 * Other mock servers, from a folder in which npm has installed them (`--peers <folder>`, see README.md). They are not
 * dependencies of this project.
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { startProgram, startServer, type Measured } from './process.ts'
import type { PeerName } from './cases.ts'
import { freePort } from '../test/support/free-ports.ts'

const packages: Record<PeerName, string> = {
  aimock: '@copilotkit/aimock',
  mockoon: '@mockoon/cli',
  prism: '@stoplight/prism-cli',
}

/** The peers that are installed in the folder. */
export function installedPeers(folder: string): PeerName[] {
  return (Object.keys(packages) as PeerName[]).filter(name =>
    existsSync(join(folder, 'node_modules', packages[name], 'package.json')),
  )
}

/** Starts a peer. `openApi` is the path of the document that it mocks. */
export async function startPeer(name: PeerName, folder: string, openApi: string): Promise<Measured> {
  if (name === 'aimock') return startServer([join(import.meta.dirname, 'peers.ts'), folder])
  const port = await freePort()
  const start =
    name === 'mockoon'
      ? ['start', '--data', openApi, '--port', String(port), '--disable-log-to-file']
      : ['mock', '--port', String(port), '--host', '127.0.0.1', openApi]
  return startProgram([binOf(folder, packages[name]), ...start], port, '/pets/7')
}

function binOf(folder: string, name: string): string {
  const manifest = join(folder, 'node_modules', name, 'package.json')
  const { bin } = createRequire(manifest)(manifest) as { bin: string | Record<string, string> }
  return join(dirname(manifest), typeof bin === 'string' ? bin : Object.values(bin)[0]!)
}

interface AiMock {
  onMessage(text: string, reply: object, options?: { chunkSize: number }): void
  start(): Promise<unknown>
  url: string
}

/**
 * Starts aimock with the text of svc's reply, cut so that streams have as many events as svc's: 45 tokens, or 12 chunks for
 * Gemini, which has another prompt.
 */
async function serveAiMock(folder: string): Promise<void> {
  const { LLMock } = createRequire(join(folder, 'package.json'))(packages.aimock) as {
    LLMock: new (options: object) => AiMock
  }
  const mock = new LLMock({ port: 0, logLevel: 'silent', latency: 0 })
  const content =
    "Hello! I'm svc, a mock model server for gateway demos. Ask me anything: the same question always gets the same answer. How can I help y"
  mock.onMessage('hello there', { content }, { chunkSize: 12 })
  mock.onMessage('hello', { content }, { chunkSize: 3 })
  await mock.start()
  process.stdout.write(`HTTP listening on 127.0.0.1:${new URL(mock.url).port}\n`)
}

if (process.argv[1] === import.meta.filename) await serveAiMock(process.argv[2]!)
