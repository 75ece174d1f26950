/** Servers with layer 4 listeners, and clients of them. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { serve, type TestServer } from './server.ts'

export interface Layer4Server extends TestServer {
  /** Open ports by the name of the listener. */
  open: Record<string, number>
}

/** Starts a server with these listeners, on free ports unless they have one. */
export async function serveLayer4(
  t: Parameters<typeof serve>[0],
  listeners: Record<string, object>,
  env: Record<string, string> = {},
): Promise<Layer4Server> {
  const server = await serve(t, {
    plugins: ['layer4', 'httpbin', 'echo'],
    settings: { layer4: { listeners: entriesOf(listeners) } },
    env,
    oneProcess: 'ports belong to a process',
  })
  return Object.assign(server, { open: await openPorts(server) })
}

export function entriesOf(listeners: Record<string, object>): object[] {
  return Object.entries(listeners).map(([name, entry]) => ({ name, port: 0, ...entry }))
}

export async function openPorts(server: TestServer): Promise<Record<string, number>> {
  const { listeners } = (await (await fetch(`${server.url}/_svc/status`)).json()) as {
    listeners: { name: string; port: number }[]
  }
  return Object.fromEntries(listeners.map(({ name, port }) => [name, port]))
}

/** Connects, with a half-open socket. Errors are left to `close`. */
export async function dial(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  socket.on('error', () => {})
  // A server may reset the connection before the client knows of it.
  await new Promise<void>(resolve => socket.once('connect', resolve).once('close', resolve))
  return socket
}

/** All that is received until the server ends its side, and how the connection ended. */
export async function readAll(socket: Socket): Promise<{ text: string; isReset: boolean }> {
  const chunks: Buffer[] = []
  socket.on('data', chunk => chunks.push(chunk))
  if (!socket.closed) await new Promise<void>(resolve => socket.once('end', resolve).once('close', resolve))
  return { text: Buffer.concat(chunks).toString(), isReset: socket.errored !== null }
}

/** Sends, ends, and returns all that is received. */
export async function exchange(port: number, ...pieces: (string | Buffer)[]): Promise<string> {
  const socket = await dial(port)
  for (const piece of pieces) socket.write(piece)
  socket.end()
  const { text } = await readAll(socket)
  socket.destroy()
  return text
}

/** Waits for text of a certain length, or that contains `part`. */
export async function readUntil(socket: Socket, part: string): Promise<string> {
  let text = ''
  while (!text.includes(part)) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    text += chunk.toString()
  }
  return text
}
