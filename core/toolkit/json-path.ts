/** JSONPath (RFC 9535) within bounds, for queries and documents that are not trusted. */
import { JSONPathEnvironment, type JSONPathNode, type JSONPathQuery } from 'json-p3'
import { isTooExpensive, type StepBudget } from '../contract/budgets.ts'
import { deepEqual, type Json } from '../contract/json.ts'
import { isRecord } from '../contract/record.ts'

/** Maximum length of a query. */
export const MAX_JSON_PATH = 512
/** Maximum depth of a document. */
const MAX_DEPTH = 100

/** Steps of compiling each character of a query. */
const CHARACTER = 300
/** Steps of a visit, of each level of the visited node, and of each value that a selector looks at. */
const VISIT = 40
const LEVEL = 4
const VALUE = 50
/** Steps of an expression in a filter. */
const EXPRESSION = 15
/** Steps of each member that is counted. */
const MEMBER = 20

export interface JsonPath {
  /** The selected values; none if the document is nested too deeply. Throws `TooExpensive` if the budget has too few steps. */
  values(document: Json, steps: StepBudget): Json[]
}

/**
 * Compiles a query; throws an error that says what is wrong, and `TooExpensive` if the budget has too few steps. The functions
 * `match` and `search` are unknown, because their patterns would run on a backtracking engine.
 */
export function compileJsonPath(text: string, steps: StepBudget): JsonPath {
  if (text.length > MAX_JSON_PATH) throw new Error(`expected a JSONPath of at most ${MAX_JSON_PATH} characters`)
  steps.take(text.length * CHARACTER)
  const environment = new JSONPathEnvironment({ maxRecursionDepth: MAX_DEPTH })
  const payment = new Payment()
  environment.functionRegister.delete('match')
  environment.functionRegister.delete('search')
  payForLength(environment, payment)
  const query = environment.compile(text)
  payForVisits(query, payment)
  return {
    values: (document, own) =>
      payment.by(own, () => {
        try {
          return query.query(document).values() as Json[]
        } catch (error) {
          if (isTooExpensive(error)) throw error
          return []
        }
      }),
  }
}

/** A query that was checked when it was stored: it is compiled when it is needed. */
export function storedJsonPath(text: string): JsonPath {
  let compiled: JsonPath | undefined
  return { values: (document, steps) => (compiled ??= compileJsonPath(text, steps)).values(document, steps) }
}

/** The budget of the evaluation that runs. */
class Payment {
  steps: StepBudget | null = null

  by<T>(steps: StepBudget, evaluate: () => T): T {
    this.steps = steps
    try {
      return evaluate()
    } finally {
      this.steps = null
    }
  }

  take(steps: number): void {
    this.steps!.take(steps)
  }
}

/** The parts of a compiled query that visit nodes. */
interface Visitor {
  resolve(input: unknown): JSONPathNode[]
  visit?(node: JSONPathNode, depth?: number): Iterable<JSONPathNode>
}

/** The parts of a filter. */
interface Expression {
  evaluate(context: unknown): unknown
}
interface Comparison extends Expression {
  left: Expression
  operator: string
  right: Expression
}

/** What an expression without a value has. */
const NOTHING = Symbol('nothing')
type Operand = Json | typeof NOTHING

/** Makes each part of a query, and of the queries in its filters, pay for what it visits and compares. */
function payForVisits(query: JSONPathQuery, payment: Payment): void {
  const seen = new Set<object>()
  const open: object[] = [...query.segments]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    for (const [key, member] of Object.entries(next))
      if (key !== 'environment' && key !== 'token' && isObject(member)) open.push(member)
    if (isVisitor(next)) payForVisitor(next, payment)
    else if (isComparison(next)) payForComparison(next, payment)
    else if (isExpression(next)) {
      const evaluate = next.evaluate.bind(next)
      next.evaluate = context => {
        payment.take(EXPRESSION)
        return evaluate(context)
      }
    }
  }
}

function payForVisitor(visitor: Visitor, payment: Payment): void {
  const resolve = visitor.resolve.bind(visitor)
  const isSelective = 'name' in visitor || 'index' in visitor
  visitor.resolve = input => {
    const node = Array.isArray(input) ? null : (input as JSONPathNode)
    payment.take(VISIT + (node === null ? 0 : nodeSteps(node, isSelective)))
    const nodes = resolve(input)
    payment.take(nodes.length)
    return nodes
  }
  const visit = visitor.visit?.bind(visitor)
  if (visit === undefined) return
  // The library calls it again for each child of a node.
  visitor.visit = (node, depth = 1) => {
    // A value is handed on through all levels above it.
    payment.take(VISIT + nodeSteps(node, false) / 4 + depth * LEVEL * 2)
    return visit(node, depth)
  }
}

/** Steps of looking at the values of a node, of which each may become a node with a path of its own. */
function nodeSteps({ value, location }: JSONPathNode, isSelective: boolean): number {
  const perValue = VALUE + location.length * LEVEL
  if (isSelective) return perValue
  if (Array.isArray(value)) return value.length * perValue
  return isRecord(value) ? Object.keys(value).length * perValue * 2 : 0
}

function payForComparison(comparison: Comparison, payment: Payment): void {
  const { left, operator, right } = comparison
  comparison.evaluate = context => {
    payment.take(EXPRESSION)
    return compare(operandOf(left.evaluate(context)), operator, operandOf(right.evaluate(context)), payment.steps!)
  }
}

/** The queries of a comparison select one value or none. */
function operandOf(result: unknown): Operand {
  if (typeof result === 'symbol' || result === undefined) return NOTHING
  if (!isObject(result) || !('nodes' in result) || !Array.isArray(result.nodes)) return result as Json
  const [node] = result.nodes as JSONPathNode[]
  return node === undefined ? NOTHING : (node.value as Json)
}

/** RFC 9535, 2.3.5.2.2. */
function compare(left: Operand, operator: string, right: Operand, steps: StepBudget): boolean {
  switch (operator) {
    case '==':
      return isEqual(left, right, steps)
    case '!=':
      return !isEqual(left, right, steps)
    case '<':
      return isLess(left, right, steps)
    case '>':
      return isLess(right, left, steps)
    case '<=':
      return isLess(left, right, steps) || isEqual(left, right, steps)
    default:
      return isLess(right, left, steps) || isEqual(left, right, steps)
  }
}

function isEqual(left: Operand, right: Operand, steps: StepBudget): boolean {
  return left === NOTHING || right === NOTHING ? left === right : deepEqual(left, right, steps)
}

function isLess(left: Operand, right: Operand, steps: StepBudget): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left < right
  if (typeof left !== 'string' || typeof right !== 'string') return false
  steps.take(Math.min(left.length, right.length) / 4)
  return left < right
}

/** `length()` of an object counts its members. */
function payForLength({ functionRegister }: JSONPathEnvironment, payment: Payment): void {
  const length = functionRegister.get('length')!
  const { argTypes, returnType } = length
  functionRegister.set('length', {
    argTypes,
    returnType,
    call(value: unknown) {
      if (isRecord(value)) {
        // What counting takes can only be known by counting. One object is bounded by its document.
        const count = Object.keys(value).length
        payment.take(count * MEMBER)
        return count
      }
      return length.call(value)
    },
  })
}

function isVisitor(value: object): value is Visitor {
  return typeof (value as Partial<Visitor>).resolve === 'function'
}

function isExpression(value: object): value is Expression {
  return typeof (value as Partial<Expression>).evaluate === 'function'
}

function isComparison(value: object): value is Comparison {
  return (
    isExpression(value) && 'operator' in value && 'left' in value && !('logical' in value && value.logical === true)
  )
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
