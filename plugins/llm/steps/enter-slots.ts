/** Admits a generation to its provider's slots, or simulates the load that `X-Svc-Load` states. */
import { ProviderError } from '../contract/errors.ts'
import type { Exchange } from '../call/model-call.ts'
import { NoCapacity, type Load, type Slot, type Slots } from '../capacity/slots.ts'

/** Null if the client left the queue. Throws `ProviderError` if there is no capacity. */
export async function enterSlots(exchange: Exchange, slots: Slots): Promise<Load | null> {
  const { settings } = slots
  const others = readLoad(exchange, slots)
  if (others !== null) {
    if (others >= settings.slots + settings.queue) throw refused(exchange, slots, new NoCapacity(1))
    const running = Math.min(others + 1, settings.slots)
    return {
      slot: null,
      factor: slots.factorFor(running),
      shown: { running, slots: settings.slots },
      waitsLengths: Math.max(0, others - settings.slots + 1),
    }
  }
  const begunAt = performance.now()
  let slot: Slot | null
  try {
    const entering = slots.enter(exchange.model ?? '', () => exchange.svc.http.signal(exchange.request))
    if (entering instanceof Promise) {
      slot = await entering
      exchange.queueMs = performance.now() - begunAt
    } else slot = entering
  } catch (error) {
    if (!(error instanceof NoCapacity)) throw error
    exchange.queueMs = performance.now() - begunAt
    throw refused(exchange, slots, error)
  }
  if (slot === null) return null
  const shown = settings.slots === Infinity ? null : { running: slot.running, slots: settings.slots }
  return { slot, factor: slot.factor, shown, waitsLengths: 0 }
}

function refused(exchange: Exchange, { settings }: Slots, { retryAfterSecs }: NoCapacity): ProviderError {
  exchange.limited = 'capacity'
  return new ProviderError(settings.full, { retryAfterSecs })
}

/** The number of others that `X-Svc-Load` states; null without a valid one. */
function readLoad({ headers, svc, request }: Exchange, { settings }: Slots): number | null {
  const text = headers['x-svc-load']
  if (text === undefined) return null
  const most = settings.slots + settings.queue
  const others = typeof text === 'string' && /^\s*\d{1,6}\s*$/.test(text) ? Number(text) : Infinity
  if (others <= most && most !== Infinity) return others
  svc.http.ignoreHeader(
    request,
    'X-Svc-Load',
    most === Infinity ? 'the provider has no capacity limit' : `expected a whole number from 0 to ${most}`,
  )
  return null
}
