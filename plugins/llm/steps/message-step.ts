/** Asks those who know steps of messages, such as a probe of gateways, for the step of a call. */
import type { FastifyRequest } from 'svc/plugin'
import type { ModelCall } from '../call/model-call.ts'
import type { FindMessageStep, MessageStep, MessageSteps } from '../contract/message-steps.ts'

export class MessageStepFinders implements MessageSteps {
  /** One or two: a plugin adds its own when it is registered. */
  #finders: readonly FindMessageStep[] = []

  add(find: FindMessageStep): () => void {
    this.#finders = [...this.#finders, find]
    return () => {
      this.#finders = this.#finders.filter(one => one !== find)
    }
  }

  /** Costs nothing else while there are none. */
  get areNone(): boolean {
    return this.#finders.length === 0
  }

  /** The first that knows the conversation of the call. */
  async find(call: ModelCall): Promise<MessageStep | null> {
    const text = await textOf(call)
    if (text === null) return null
    for (const find of this.#finders) {
      const found = await find(text, call.request as FastifyRequest)
      if (found !== null) return found
    }
    return null
  }
}

async function textOf(call: ModelCall): Promise<string | null> {
  try {
    const parsed = await call.parse()
    return parsed.op === 'chat' ? JSON.stringify(parsed.request.messages) : null
  } catch {
    // The route reports what is wrong with the message.
    return null
  }
}
