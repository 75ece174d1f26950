/** Admits a generation to its provider's slots, or simulates the load that `X-Svc-Load` states. */
import { ProviderError } from '../contract/errors.ts'
import type { ModelCall } from '../call/model-call.ts'
import { NoCapacity, type Load, type Slot, type Slots } from '../capacity/slots.ts'
import { readLoadHeader } from '../capacity/load-header.ts'

/**
 * Waits for a slot. Replies in the background take none: nobody waits for the model. Throws `ProviderError` if there is no
 * capacity.
 */
export function enterSlots(call: ModelCall): boolean | Promise<boolean> {
  const { instance, parsed } = call
  if (instance.slots === undefined || parsed?.op !== 'chat' || parsed.isBackground === true) return true
  return enter(call, instance.slots).then(load => {
    call.load = load
    if (load === null) call.recipient!.leave()
    return load !== null
  })
}

/** Null if the client left the queue. */
async function enter(call: ModelCall, slots: Slots): Promise<Load | null> {
  const { settings } = slots
  const { others } = readLoadHeader(call.headers, slots)
  if (others !== null) {
    if (others >= settings.slots + settings.queue) throw refused(call, slots, new NoCapacity(1))
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
    const entering = slots.enter(call.model ?? '', () => call.svc.http.signal(call.request))
    if (entering instanceof Promise) {
      slot = await entering
      call.queueMs = performance.now() - begunAt
    } else slot = entering
  } catch (error) {
    if (!(error instanceof NoCapacity)) throw error
    call.queueMs = performance.now() - begunAt
    throw refused(call, slots, error)
  }
  if (slot === null) return null
  const shown = settings.slots === Infinity ? null : { running: slot.running, slots: settings.slots }
  return { slot, factor: slot.factor, shown, waitsLengths: 0 }
}

function refused(call: ModelCall, { settings }: Slots, { retryAfterSecs }: NoCapacity): ProviderError {
  call.limited = 'capacity'
  return new ProviderError(settings.full, { retryAfterSecs })
}
