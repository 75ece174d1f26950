/** The plugin `layer4`: TCP, TLS and UDP listeners that echo, count and break connections. */
import { definePlugin, MemoryPool, type OpenPort } from 'svc/plugin'
import { unknownName } from 'svc/toolkit'
import { type ConnectionBounds, serveConnection } from './connection.ts'
import { answerDatagram } from './datagrams.ts'
import { createInstance } from './instance.ts'
import {
  type Layer4Options,
  type ListenerOptions,
  PUBLIC_UDP_MODES,
  schema,
  TCP_ONLY_KEYS,
  TCP_ONLY_MODES,
} from './options.ts'
import { Overrides } from './overrides.ts'
import { registerRoutes } from './routes.ts'

const KIB = 1024
const MIB = 1024 * KIB
const NORMAL = { maxBytes: 1024 * MIB, idleMs: 300_000, lifetimeMs: 3_600_000, maxPending: 64 * KIB, send: 10 * MIB }
const PUBLIC = { maxBytes: MIB, idleMs: 30_000, lifetimeMs: 120_000, maxPending: 16 * KIB, send: 64 * KIB }
const WAITING_DATAGRAMS = 16 * MIB

export default definePlugin<Layer4Options>({
  title: 'Layer 4',
  description: 'TCP, TLS and UDP listeners that echo, hash, describe, delay and break connections.',
  paths: ['/_svc/layer4'],
  uses: ['httpbin'],
  options: schema,
  register(app, svc) {
    const { publicMode, maxDelayMs } = svc.config
    const limits = publicMode ? PUBLIC : NORMAL
    const shared = svc.shared('pending', () => new MemoryPool(publicMode ? 16 * MIB : 64 * MIB))
    const waiting = svc.shared('waiting-datagrams', () => new MemoryPool(WAITING_DATAGRAMS))
    const ports = new Map<string, OpenPort>()
    const names = namesOf(svc.options.listeners)
    const instance = createInstance(svc, { ports, names })
    const overrides = new Overrides(svc)
    const boundsOf = ({ max_bytes, idle_ms, lifetime_ms }: ListenerOptions): ConnectionBounds => ({
      maxBytes: Math.min(max_bytes ?? limits.maxBytes, limits.maxBytes),
      idleMs: Math.min(idle_ms ?? limits.idleMs, publicMode ? limits.idleMs : Infinity),
      lifetimeMs: Math.min(lifetime_ms ?? limits.lifetimeMs, limits.lifetimeMs),
      maxDelayMs,
      maxSend: limits.send,
      maxPending: limits.maxPending,
      shared,
    })
    svc.options.listeners.forEach((entry, index) => {
      const at = `layer4.listeners[${index}]`
      const name = names[index]!
      const problem = problemOf(entry, names, publicMode)
      if (problem !== null) return svc.reportLoadError({ at: `${at}${problem.key}`, ...problem })
      const settings = { ...entry, name, at, serves: entry.mode }
      if (entry.transport === 'udp') {
        const parts = {
          options: entry,
          modes: publicMode ? PUBLIC_UDP_MODES : null,
          maxDelayMs,
          waiting,
          instance,
        }
        const port = svc.listeners.udp(settings, datagram =>
          answerDatagram(datagram, { ...parts, delayMs: overrides.known(name, entry, maxDelayMs).delayMs }),
        )
        ports.set(name, port)
        return
      }
      const bounds = boundsOf(entry)
      const port = svc.listeners.tcp(settings, connection => {
        if (!overrides.counts(name)) {
          const faults = overrides.known(name, entry, maxDelayMs)
          serveConnection(connection, { options: entry, faults, bounds, instance })
          return
        }
        overrides
          .take(name, entry, maxDelayMs)
          .catch(() => overrides.known(name, entry, maxDelayMs))
          .then(faults => {
            if (!connection.socket.destroyed) serveConnection(connection, { options: entry, faults, bounds, instance })
          })
          .catch((error: unknown) => {
            svc.log.error('a connection could not be served', { error, listener: name })
            connection.transport.destroy()
          })
      })
      ports.set(name, port)
    })
    registerRoutes(app, svc, { names, ports, overrides })
  },
})

/** The names of the listeners: those without one have the section and the port. */
function namesOf(listeners: readonly ListenerOptions[]): string[] {
  const names: string[] = []
  for (const { name, port } of listeners) {
    let free = name ?? `layer4-${port}`
    for (let number = 2; name === undefined && names.includes(free); number++) free = `layer4-${port}-${number}`
    names.push(free)
  }
  return names
}

interface EntryProblem {
  /** Behind the place of the entry. */
  key: string
  message: string
  remedy?: string
}

/** What the schema does not say about an entry. */
function problemOf(entry: ListenerOptions, names: readonly string[], publicMode: boolean): EntryProblem | null {
  const { transport, mode } = entry
  if (transport === 'udp') {
    const key = TCP_ONLY_KEYS.find(name => entry[name] !== undefined)
    if (key !== undefined) return { key: `.${key}`, message: `${key} is only for transport tcp`, remedy: 'remove it' }
    if (TCP_ONLY_MODES.includes(mode)) return { key: '.mode', message: `the mode ${mode} is only for transport tcp` }
    if (publicMode && !PUBLIC_UDP_MODES.includes(mode))
      return { key: '.mode', message: `in public mode the modes of UDP are ${PUBLIC_UDP_MODES.join(' and ')}` }
  }
  if (mode === 'fixed' && entry.text === undefined)
    return { key: '', message: 'the mode fixed needs a text', remedy: 'add text' }
  const plain = entry.tls_port_of
  if (plain === undefined) return null
  return names.includes(plain) ? null : { key: '.tls_port_of', ...unknownName('listener', plain, names) }
}
