/** Steps of rules for messages of sockets, whose handshake says nothing of what they are for. */
import type { FastifyRequest, JsonObject } from 'svc/plugin'

/** What becomes of a message. It is not in records, metrics and the ledger. */
export interface MessageStep {
  /** The step of a rule, which acts as if a rule in front of all others had matched; null: none. */
  step: JsonObject | null
  /** The socket is closed with this in place of a reply. */
  close: { code: number; reason: string } | null
}

/** `text`: the texts of the conversation. `handshake`: the request that opened the socket. Null: the message is not one of its steps. */
export type FindMessageStep = (
  text: string,
  handshake: FastifyRequest,
) => MessageStep | null | Promise<MessageStep | null>

export interface MessageSteps {
  /** Asks for the step of every message from then on. Returns what ends that. */
  add(find: FindMessageStep): () => void
}
