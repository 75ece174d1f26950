/** Faults in the events of a stream. */
import type { EventReceiver, StreamEvent } from '../calls/call.ts'
import type { ActiveFault } from '../protocol/fault-kinds.ts'

/** The receiver, to which events arrive with the fault. */
export function withStreamFault({ kind, amount }: ActiveFault, receiver: EventReceiver): EventReceiver {
  switch (kind) {
    case 'stall':
      return stalling(amount, receiver)
    case 'cut':
      return breaking(amount, receiver)
    case 'no-final':
      return { ...bound(receiver), event: event => (event.isFinal ? undefined : receiver.event(event)) }
    case 'double-final':
      return {
        ...bound(receiver),
        event(event) {
          receiver.event(event)
          if (event.isFinal) receiver.event(event)
        },
      }
    case 'reorder':
      return reordering(receiver)
    default:
      return receiver
  }
}

function bound(receiver: EventReceiver): EventReceiver {
  return {
    event: event => receiver.event(event),
    end: () => receiver.end(),
    cut: () => receiver.cut(),
  }
}

/** After the events, nothing follows, not even the end. */
function stalling(amount: number, receiver: EventReceiver): EventReceiver {
  let count = 0
  return {
    event(event) {
      if (count++ < amount) receiver.event(event)
    },
    end() {
      if (count < amount) receiver.end()
    },
    cut: () => receiver.cut(),
  }
}

/** After the events, the connection breaks. */
function breaking(amount: number, receiver: EventReceiver): EventReceiver {
  let count = 0
  return {
    event(event) {
      if (count >= amount) return
      receiver.event(event)
      if (++count === amount) receiver.cut()
    },
    end() {
      if (count < amount) receiver.end()
    },
    cut: () => receiver.cut(),
  }
}

/** The first event, which is the task, follows the first artifact; at the latest, it is the last event. */
function reordering(receiver: EventReceiver): EventReceiver {
  let held: StreamEvent | null = null
  const release = (): void => {
    if (held) receiver.event(held)
    held = null
  }
  return {
    event(event) {
      if (event.kind === 'first') {
        held = event
        return
      }
      receiver.event(event)
      if (event.kind === 'artifact') release()
    },
    end() {
      release()
      receiver.end()
    },
    cut: () => receiver.cut(),
  }
}
