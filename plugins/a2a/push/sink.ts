/** Owns the webhook sinks, which store received notifications by sink id. */
import { type Store, type Svc, type SvcInspector } from 'svc/plugin'
import { copyText, heldBytes } from 'svc/toolkit'
import { type Bounds, SINK_BODY_BYTES, SINK_MS, SINK_NOTIFICATIONS } from '../bounds.ts'
import { parseJson } from '../protocol/json.ts'

export interface Notification {
  receivedAt: string
  source: 'http' | 'in-process'
  headers: Record<string, string>
  /** Parsed JSON, else text. A body over the limit is replaced by `{ truncated, bytes }`. */
  body: unknown
  /** Number of the attempt, if the task has a fault of its push notifications. */
  attempt?: number
  /** The fault, if it affects this attempt. */
  fault?: string
}

/** What a notification says about its delivery. */
export type DeliveryFacts = Pick<Notification, 'attempt' | 'fault'>

export interface Sink {
  /** Oldest first, each as JSON text: parsed JSON can take forty times the memory. */
  notifications: readonly string[]
  /** Memory of all notifications. */
  bytes: number
}

/** Redacts credentials of the control plane. */
type Redactor = Pick<SvcInspector, 'redactHeader' | 'redactText'>

/** Approximate memory of an empty sink. */
const SINK_BYTES = 1024

const KEPT_HEADERS = ['content-type', 'authorization', 'x-a2a-notification-token', 'a2a-version', 'user-agent']

export class SinkStore {
  readonly #store: Store<Sink>

  readonly #inspector: Redactor

  constructor(store: Store<Sink>, inspector: Redactor) {
    this.#store = store
    this.#inspector = inspector
  }

  /** Memory of a sink, for the store's bounds. */
  static sizeOf(sink: Sink): number {
    return SINK_BYTES + sink.bytes
  }

  /** Removes all sinks, which belong to no session. Returns their number. */
  clear(): Promise<number> {
    return this.#store.clear()
  }

  /** Stores a notification; returns the number of stored notifications. */
  async receive(
    id: string,
    source: Notification['source'],
    headers: Record<string, string | string[] | undefined>,
    body: Buffer,
    facts: DeliveryFacts = {},
  ): Promise<number> {
    const notification: Notification = {
      receivedAt: new Date().toISOString(),
      source,
      headers: keep(headers, this.#inspector),
      body: readBody(body, this.#inspector),
      ...facts,
    }
    const text = JSON.stringify(notification)
    const sink = await this.#store.update(copyText(id), current => {
      const notifications = [...(current?.notifications ?? []), text].slice(-SINK_NOTIFICATIONS)
      return { notifications, bytes: notifications.reduce((sum, kept) => sum + heldBytes(kept), 0) }
    })
    return sink?.notifications.length ?? 0
  }

  async read(id: string): Promise<readonly Notification[]> {
    return ((await this.#store.get(id))?.notifications ?? []).map(text => JSON.parse(text) as Notification)
  }

  delete(id: string): Promise<boolean> {
    return this.#store.delete(id)
  }
}

/** Opens the sinks. Replicas that share a state store share them. */
export function openSinkStore(svc: Pick<Svc, 'state' | 'inspector'>, bounds: Bounds): SinkStore {
  const store = svc.state<Sink>('sinks', {
    maxCount: bounds.sinks,
    maxBytes: bounds.sinkBytes,
    sizeOf: SinkStore.sizeOf,
    ttlMs: SINK_MS,
    ttlFrom: 'use',
  })
  return new SinkStore(store, svc.inspector)
}

function keep(headers: Record<string, string | string[] | undefined>, inspector: Redactor): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of KEPT_HEADERS) {
    const value = headers[name]
    if (typeof value === 'string') kept[name] = inspector.redactHeader(name, value)
  }
  return kept
}

function readBody(received: Buffer, inspector: Redactor): unknown {
  if (received.length > SINK_BODY_BYTES) return { truncated: true, bytes: received.length }
  const body = Buffer.from(inspector.redactText(received.toString('latin1')), 'latin1')
  const parsed = parseJson(body)
  return 'value' in parsed ? parsed.value : body.toString()
}

/** 1 to 64 characters from `A-Za-z0-9._-`. */
export function isSinkId(id: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(id)
}
