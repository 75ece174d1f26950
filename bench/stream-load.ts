/** Opens many event streams over raw sockets and measures the time to the first token and the gaps between tokens. */
import { connect } from 'node:net'
import { quantile, stayAwake } from './load.ts'

export interface StreamLoad {
  port: number
  path: string
  streams: number
  headers: Record<string, string>
  body: string
}

export interface StreamResult {
  /** Milliseconds from the request to the first token, and between tokens. */
  ttftP50: number
  ttftP99: number
  gapP50: number
  gapP99: number
  tokens: number
  seconds: number
}

/** Opens all streams, spread over a second, and reads them to their end. */
export async function sendStreams(load: StreamLoad): Promise<StreamResult> {
  const firsts: number[] = []
  const gaps: number[] = []
  const startedAt = performance.now()
  const rest = stayAwake()
  await Promise.all(
    Array.from({ length: load.streams }, async (_, i) => {
      await new Promise(resolve => setTimeout(resolve, (i * 1000) / load.streams))
      await readStream(load, firsts, gaps)
    }),
  )
  rest()
  const seconds = (performance.now() - startedAt) / 1000
  for (const list of [firsts, gaps]) list.sort((a, b) => a - b)
  return {
    ttftP50: quantile(firsts, 0.5),
    ttftP99: quantile(firsts, 0.99),
    gapP50: quantile(gaps, 0.5),
    gapP99: quantile(gaps, 0.99),
    tokens: firsts.length + gaps.length,
    seconds,
  }
}

function readStream({ port, path, headers, body }: StreamLoad, firsts: number[], gaps: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    let sentAt = 0
    let lastAt = 0
    socket.on('connect', () => {
      sentAt = performance.now()
      const lines = [
        `POST ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${port}`,
        'Connection: close',
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        `Content-Length: ${Buffer.byteLength(body)}`,
      ]
      socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
    })
    socket.on('data', chunk => {
      const now = performance.now()
      // A chunk boundary inside the pattern loses a token out of thousands, which does not matter for quantiles.
      for (let from = chunk.indexOf('{"content":"'); from >= 0; from = chunk.indexOf('{"content":"', from + 1)) {
        if (lastAt === 0) firsts.push(now - sentAt)
        else gaps.push(now - lastAt)
        lastAt = now
      }
    })
    socket.on('error', reject)
    socket.on('close', () => resolve())
  })
}
