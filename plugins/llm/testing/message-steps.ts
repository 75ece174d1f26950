/** Those who know steps of messages on sockets, such as a probe of gateways. */
import type { FastifyRequest } from 'svc/plugin'
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

  /** Of the first that knows the text. */
  async find(text: string, handshake: FastifyRequest): Promise<MessageStep | null> {
    for (const find of this.#finders) {
      const found = await find(text, handshake)
      if (found !== null) return found
    }
    return null
  }
}
