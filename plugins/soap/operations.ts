/** The three operations: their names, inputs and results. Nothing is stored. */
import { randomBytes } from 'node:crypto'
import type { DemoRecords } from '../demo-data/types.ts'
import { invalidField, missingField, tooManyFields, unknownOperation } from './faults.ts'
import { childElements, textOf, type Element } from './xml/element.ts'

export const NAMESPACE = 'http://svc.local'

/** Elements of a response in order; an element contains text or elements. */
export type Content = readonly (readonly [name: string, content: string | Content])[]

export interface Operation {
  name: string
  /** Namespace of the request and the response element. */
  namespace: string
  run(input: Input): Content
}
type Input = ReadonlyMap<string, string>

const MAX_FIELDS = 64
const TWO_HOURS_MS = 2 * 3_600_000

export function createOperations(records: DemoRecords): readonly Operation[] {
  return [
    { name: 'GetUser', namespace: `${NAMESPACE}/users`, run: input => getUser(records, required(input, 'userId')) },
    { name: 'CreateOrder', namespace: `${NAMESPACE}/orders`, run: createOrder },
    { name: 'GetStatus', namespace: `${NAMESPACE}/status`, run: getStatus },
  ]
}

/** The operation named by the last segment of the action, or else by the element. Throws a fault. */
export function selectOperation(operations: readonly Operation[], action: string | null, element: Element): Operation {
  const byName = (name: string): Operation | undefined => operations.find(operation => operation.name === name)
  const segment =
    action === null
      ? ''
      : action.slice(Math.max(action.lastIndexOf('/'), action.lastIndexOf('#'), action.lastIndexOf(':')) + 1)
  const operation = byName(segment) ?? byName(element.local)
  if (operation === undefined)
    throw unknownOperation(
      element.local,
      operations.map(({ name }) => name),
    )
  return operation
}

/** Fields by local name in any namespace, trimmed. Uses the first of duplicate names; empty fields are treated as absent. */
export function readInput(element: Element): Input {
  const fields = childElements(element)
  if (fields.length > MAX_FIELDS) throw tooManyFields(MAX_FIELDS)
  const input = new Map<string, string>()
  for (const field of fields) if (!input.has(field.local)) input.set(field.local, textOf(field).trim())
  for (const [name, value] of input) if (value === '') input.delete(name)
  return input
}

function required(input: Input, name: string): string {
  const value = input.get(name)
  if (value === undefined) throw missingField(name)
  return value
}

const DEMO_USERS = new Map([
  ['123', { name: 'Jane Smith', email: 'jane@svc.local', role: 'ADMIN' }],
  ['456', { name: 'Bob Wilson', email: 'bob@svc.local', role: 'USER' }],
])
const DEFAULT_USER = { name: 'Demo User', email: 'demo@svc.local', role: 'GUEST' }

function getUser(records: DemoRecords, id: string): Content {
  const { name, email, role } = DEMO_USERS.get(id) ?? records.users.find(user => user.id === id) ?? DEFAULT_USER
  return [
    [
      'user',
      [
        ['id', id],
        ['name', name],
        ['email', email],
        ['role', role],
      ],
    ],
  ]
}

/** A non-negative `xsd:decimal` (XML Schema 2, 3.2.3). */
const AMOUNT = /^\+?(?:\d+(?:\.\d*)?|\.\d+)$/

function createOrder(input: Input): Content {
  const merchantId = required(input, 'merchantId')
  const amount = input.get('amount') ?? '0'
  if (!AMOUNT.test(amount)) throw invalidField('amount', 'a decimal number of 0 or more')
  return [
    ['orderId', `ORD-${randomBytes(4).toString('hex').toUpperCase()}`],
    ['merchantId', merchantId],
    ['amount', amount],
    ['currency', input.get('currency') ?? 'GBP'],
    ['status', 'ACCEPTED'],
    ['timestamp', new Date().toISOString()],
  ]
}

function getStatus(input: Input): Content {
  const orderId = input.get('orderId') ?? 'ORD-000'
  const now = Date.now()
  return [
    ['orderId', orderId],
    ['status', 'PROCESSING'],
    ['createdAt', new Date(now - TWO_HOURS_MS).toISOString()],
    ['updatedAt', new Date(now).toISOString()],
    ['tracking', `TRK-${orderId}-001`],
  ]
}
