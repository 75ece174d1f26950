/** Owns questions in stateless calls: the call returns them, and the client repeats it with answers and a signed state. */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { isRecord } from 'svc/toolkit'
import type { Call } from '../../servers/call.ts'
import { invalidParams, RpcError } from '../../errors.ts'
import { isUsable, questionParams, requireCapabilities } from '../../protocol/questions.ts'
import type { Answers, JsonObject, Question } from '../../types.ts'
import type { InputRequest, InputRequiredResult } from '../../protocol/spec.ts'

const STATE_LIFETIME_MS = 10 * 60_000
const MAX_STATE = 64 * 1024

/** Thrown by `ask` if an answer is missing; contains the result of this round. */
export class InputRequired extends Error {
  readonly result: JsonObject
  constructor(result: JsonObject) {
    super('input required')
    this.result = result
  }
}

/** The content of `requestState`, bound to the values that must not change between rounds. */
interface State {
  /** Digest of method, name, arguments and caller. */
  binding: string
  expiresAt: number
  /** Makes the state unique in every round. */
  nonce: string
  answers: Record<string, JsonObject>
}

/** The rounds of one call so far. */
export class Rounds {
  readonly #key: Buffer
  readonly #binding: string
  /** Answers of earlier rounds, and those of this round that questions have used. */
  readonly #known: Map<string, unknown>
  readonly #given: Map<string, unknown>

  /** Reads the state and answers of a request. Throws -32602 if they are invalid. */
  constructor(call: Pick<Call, 'method' | 'params' | 'claims'>, key: Buffer) {
    this.#key = key
    this.#binding = bindingOf(call)
    const { requestState, inputResponses } = call.params
    this.#known = new Map(requestState === undefined ? [] : Object.entries(this.#readState(requestState).answers))
    this.#given = readResponses(inputResponses)
  }

  /** Returns the answers. Throws `InputRequired` with the unanswered questions, -32021 without the capability. */
  ask(questions: Record<string, Question>, call: Pick<Call, 'version' | 'conversation'>): Answers {
    requireCapabilities(Object.values(questions), call.version, call.conversation.clientCapabilities)
    const answers: Answers = Object.create(null)
    const missing: [string, InputRequest][] = []
    for (const [key, question] of Object.entries(questions)) {
      const answer = [this.#given.get(key), this.#known.get(key)].find(candidate =>
        isUsable(question.method, candidate),
      )
      if (answer === undefined)
        missing.push([key, { method: question.method, params: questionParams(question, call.version) }])
      else {
        answers[key] = answer as JsonObject
        this.#known.set(key, answer)
      }
    }
    if (missing.length > 0)
      throw new InputRequired({
        resultType: 'input_required',
        inputRequests: Object.fromEntries(missing),
        requestState: this.#writeState(),
      } satisfies InputRequiredResult)
    return answers
  }

  #writeState(): string {
    const state: State = {
      binding: this.#binding,
      expiresAt: Date.now() + STATE_LIFETIME_MS,
      nonce: randomBytes(9).toString('base64url'),
      answers: Object.fromEntries(this.#known) as Answers,
    }
    const payload = Buffer.from(JSON.stringify(state)).toString('base64url')
    const text = `${payload}.${this.#sign(payload)}`
    if (text.length > MAX_STATE)
      throw invalidParams(`The answers are too large: requestState would exceed ${MAX_STATE} bytes`)
    return text
  }

  #readState(text: unknown): State {
    if (typeof text !== 'string' || text.length > MAX_STATE) throw invalidState()
    const [payload = '', mac = '', ...rest] = text.split('.')
    const expected = this.#sign(payload)
    if (
      rest.length > 0 ||
      mac.length !== expected.length ||
      !timingSafeEqual(Buffer.from(mac, 'latin1'), Buffer.from(expected, 'latin1'))
    )
      throw invalidState()
    const state = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as State
    if (state.binding !== this.#binding || state.expiresAt < Date.now()) throw invalidState()
    return state
  }

  #sign(payload: string): string {
    return createHmac('sha256', this.#key).update(payload).digest('base64url')
  }
}

function bindingOf({ method, params, claims }: Pick<Call, 'method' | 'params' | 'claims'>): string {
  const principal = typeof claims?.sub === 'string' ? claims.sub : 'anonymous'
  const parts = [method, params.name ?? params.uri ?? null, params.arguments ?? {}, principal]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}

function readResponses(value: unknown): Map<string, unknown> {
  if (value === undefined) return new Map()
  if (!isRecord(value)) throw invalidParams('"inputResponses" must be an object')
  const responses = new Map(Object.entries(value))
  for (const [key, response] of responses)
    if (!isRecord(response)) throw invalidParams(`"inputResponses.${key.slice(0, 100)}" must be an object`)
  return responses
}

function invalidState(): RpcError {
  return invalidParams('Invalid or expired requestState')
}
