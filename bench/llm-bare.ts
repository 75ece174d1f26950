/** What the mock LLM is measured against: `node:http` that sends the same bytes, and `aimock` where it is installed. */
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRequire } from 'node:module'

const announce = (port: number): void => void process.stdout.write(`HTTP listening on 127.0.0.1:${port}\n`)
const [kind, given] = process.argv.slice(2)

/** A reply as the product sent it: head and body, or the events of a stream and the gap between them in milliseconds. */
interface Recorded {
  headers: Record<string, string>
  body?: string
  events?: string[]
  gapMs?: number
}

async function sendEvents(response: ServerResponse, { headers, events = [], gapMs = 0 }: Recorded): Promise<void> {
  response.writeHead(200, headers)
  response.flushHeaders()
  let dueAt = performance.now()
  for (const event of events) {
    if (response.destroyed) return
    response.write(event)
    dueAt += gapMs
    await new Promise((resolve) => setTimeout(resolve, Math.max(1, Math.round(dueAt - performance.now()))))
  }
  response.end()
}

if (kind === 'node') {
  const recorded = JSON.parse(given ?? '{}') as Recorded
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk)).on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString())
      if (recorded.events !== undefined) void sendEvents(response, recorded)
      else response.writeHead(200, { ...recorded.headers, 'Content-Length': Buffer.byteLength(recorded.body ?? '') }).end(recorded.body)
    })
  })
  server.listen(0, '127.0.0.1', () => announce((server.address() as AddressInfo).port))
} else {
  // Not a dependency: installed by whoever wants to compare, `BENCH_AIMOCK` names the folder.
  const { LLMock } = createRequire(`${given}/package.json`)('@copilotkit/aimock') as { LLMock: new (options: object) => AiMock }
  const mock = new LLMock({ port: 0, logLevel: 'silent' })
  mock.onMessage('hello', { content: "Hello! I'm svc, a mock model server for gateway demos. Ask me anything: the same question always gets the same answer. How can I help you today?" })
  await mock.start()
  announce(Number(new URL(mock.url).port))
}

interface AiMock {
  onMessage(text: string, reply: object): void
  start(): Promise<unknown>
  url: string
}
