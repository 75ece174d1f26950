/** TCP, TLS and UDP requests of `ForwardEcho`: one message, and what comes back. */
import { createSocket } from 'node:dgram'
import { isIP, type Socket } from 'node:net'
import { openConnection } from './connection.ts'
import { Collected, connectionLines, type Exchange, type Lines, requestLines } from './exchange.ts'

const DEFAULT_MESSAGE = 'HelloWorld'
const DEFAULT_EXPECTED = 'StatusCode=200'

function messageLines(exchange: Exchange): Lines {
  const lines = requestLines(exchange)
  const { message, proxyVersion } = exchange.plan
  if (message !== '') lines.add('Echo', message)
  if (proxyVersion !== null) lines.add('ProxyProtocolVersion', `V${proxyVersion}`)
  return lines
}

/** Returns the lines of a request over TCP or TLS. Throws if the answer does not have the expected text. */
export async function forwardTcp(exchange: Exchange): Promise<string> {
  const { plan, svc, signal } = exchange
  const lines = messageLines(exchange)
  const startedAt = performance.now()
  const destination = await exchange.destinationOf(plan.target)
  const isSecure = plan.target.scheme === 'tls'
  const socket = await openConnection({
    target: plan.target,
    destination,
    plan,
    isSecure,
    alpn: [],
    demoCa: svc.pki.caCertificate,
    signal,
  })
  const expected = plan.expected ?? DEFAULT_EXPECTED
  const { localAddress } = socket
  try {
    const answer = await converse(socket, exchange, expected)
    connectionLines(lines, exchange, startedAt, localAddress)
    lines.body(answer)
    checkAnswer(answer, expected)
    return lines.toString()
  } finally {
    socket.destroy()
  }
}

/** Sends the message, after the first bytes of a server that speaks first, and reads until the expected text or the end. */
async function converse(socket: Socket, { plan, signal }: Exchange, expected: string): Promise<string> {
  const collected = new Collected()
  const send = (): void => void socket.write(`${plan.message || DEFAULT_MESSAGE}\n`)
  let isSent = !plan.serverFirst
  if (isSent) send()
  for await (const piece of socket as AsyncIterable<Buffer>) {
    collected.add(piece)
    if (!isSent) {
      isSent = true
      send()
    } else if (collected.toString().includes(expected)) break
  }
  // A connection that is closed on time has an end, and no error.
  signal.throwIfAborted()
  return collected.toString()
}

/** Returns the lines of a datagram and its answer. */
export async function forwardUdp(exchange: Exchange): Promise<string> {
  const { plan, signal } = exchange
  const lines = messageLines(exchange)
  const startedAt = performance.now()
  const { address, port } = await exchange.destinationOf(plan.target)
  const socket = createSocket(isIP(address) === 6 ? 'udp6' : 'udp4')
  try {
    const answer = await new Promise<Buffer>((resolve, reject) => {
      const end = (): void => reject(signal.reason as Error)
      signal.addEventListener('abort', end, { once: true })
      socket.once('error', reject)
      socket.once('message', resolve)
      socket.once('close', () => signal.removeEventListener('abort', end))
      // Only what comes from there is an answer.
      socket.connect(port, address, () => {
        socket.send(plan.message || DEFAULT_MESSAGE, error => {
          if (error !== null) reject(error)
        })
      })
    })
    connectionLines(lines, exchange, startedAt, socket.address().address)
    lines.body(answer.toString())
    checkAnswer(answer.toString(), plan.expected ?? DEFAULT_EXPECTED)
    return lines.toString()
  } finally {
    socket.close()
  }
}

function checkAnswer(answer: string, expected: string): void {
  if (answer.includes(expected)) return
  throw new Error(`expected an answer with ${JSON.stringify(expected)}, got ${JSON.stringify(answer.slice(0, 500))}`)
}
