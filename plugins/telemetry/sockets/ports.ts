/** Opens the ports of a sink: UDP with messages in datagrams, TCP with messages in a stream. */
import type { Svc } from 'svc/plugin'
import { Framing } from './framing.ts'

export interface SinkPorts {
  udp?: number
  tcp?: number
}

export interface SocketSink {
  /** As in `svc.yaml`. */
  name: 'syslog' | 'statsd'
  countsOctets: boolean
  message(bytes: Buffer): void
  /** A message was too long. */
  tooLong(): void
}

export function openPorts(svc: Svc<unknown>, { udp, tcp }: SinkPorts, sink: SocketSink): void {
  const settings = (transport: 'udp' | 'tcp', port: number) => ({
    port,
    name: `telemetry-${sink.name}-${transport}`,
    at: `telemetry.${sink.name}.${transport}`,
    serves: sink.name,
  })
  if (udp !== undefined)
    svc.listeners.udp(settings('udp', udp), ({ data, record }) => {
      record.received(data)
      sink.message(data)
    })
  if (tcp === undefined) return
  svc.listeners.tcp(settings('tcp', tcp), ({ socket, record, signal }) => {
    const framing = new Framing(sink, { countsOctets: sink.countsOctets })
    socket.on('data', (chunk: Buffer) => {
      record.received(chunk)
      framing.add(chunk)
    })
    socket.on('end', () => {
      framing.end()
      socket.end()
    })
    // Nothing is sent, so there is nothing to wait for.
    signal.addEventListener('abort', () => socket.end(), { once: true })
  })
}
