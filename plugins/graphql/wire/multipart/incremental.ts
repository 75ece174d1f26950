/** Deferred and streamed parts of an answer as `multipart/mixed`, in two formats (incremental delivery). */
import {
  Kind,
  type DocumentNode,
  type ExecutionResult,
  type FragmentDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { isRecord } from 'svc/toolkit'
import { MultipartWriter, type StreamedAnswer, type StreamedChunk } from './parts.ts'

/** `20220824` of Apollo Router and graphql-tools; `v0.2` of graphql-js 17. */
export type IncrementalFormat = 'deferSpec=20220824' | 'incrementalSpec=v0.2'

type Path = readonly (string | number)[]

/** A result in the first format: the first one has `data`, the others `incremental`. */
export interface IncrementalResult extends ExecutionResult {
  hasNext: boolean
  incremental?: readonly IncrementalItem[]
}

interface IncrementalItem {
  data?: unknown
  items?: readonly unknown[] | null
  path?: Path
  label?: string
  errors?: readonly unknown[]
}

const BOUNDARY = '-'

export function multipartIncremental(
  results: AsyncIterable<IncrementalResult>,
  format: IncrementalFormat,
  operation: DeferredOperation,
): StreamedAnswer {
  const iterator = results[Symbol.asyncIterator]()
  return {
    contentType: `multipart/mixed; boundary="${BOUNDARY}"; ${format}`,
    isFeed: false,
    chunks: chunksOf(iterator, format === 'incrementalSpec=v0.2' ? new Translation(operation) : null),
    end: () => void iterator.return?.(),
  }
}

async function* chunksOf(
  results: AsyncIterator<IncrementalResult>,
  translation: Translation | null,
): AsyncGenerator<StreamedChunk> {
  const writer = new MultipartWriter(BOUNDARY)
  yield { text: writer.open(), isResult: false }
  for (;;) {
    const { done, value } = await results.next()
    if (done === true) break
    yield { text: writer.part(translation === null ? value : translation.translate(value)), isResult: true }
    if (!value.hasNext) break
  }
  yield { text: writer.close(), isResult: false }
}

/** What the second format needs to know of the operation: its fragments are announced before they come. */
export interface DeferredOperation {
  document: DocumentNode
  operationName: string | null
  variables: Readonly<Record<string, unknown>>
}

interface Pending {
  id: string
  path: Path
  label?: string
}

/** Translates results of the first format to the second. */
class Translation {
  readonly #operation: DeferredOperation
  /** By path and label. */
  readonly #open = new Map<string, Pending>()
  #ids = 0

  constructor(operation: DeferredOperation) {
    this.#operation = operation
  }

  translate(result: IncrementalResult): object {
    if (result.incremental === undefined) return this.#first(result)
    const announced: Pending[] = []
    const incremental: object[] = []
    const completed: object[] = []
    for (const { data, items, path = [], label, errors } of result.incremental) {
      const isStream = items !== undefined
      const place = isStream ? path.slice(0, -1) : path
      const pending = this.#open.get(keyOf(place, label)) ?? this.#announce(place, label, announced)
      if (isStream && items !== null) incremental.push({ id: pending.id, items, ...(errors && { errors }) })
      else if (data !== null && data !== undefined)
        incremental.push({ id: pending.id, data, ...(errors && { errors }) })
      if (!isStream || items === null) {
        const failed = data === null || items === null
        completed.push({ id: pending.id, ...(failed && errors !== undefined ? { errors } : {}) })
        this.#open.delete(keyOf(place, label))
      }
    }
    if (!result.hasNext) completed.push(...this.#closeAll())
    return {
      ...(announced.length === 0 ? {} : { pending: announced }),
      ...(incremental.length === 0 ? {} : { incremental }),
      ...(completed.length === 0 ? {} : { completed }),
      hasNext: result.hasNext,
    }
  }

  #first(result: IncrementalResult): object {
    const pending: Pending[] = []
    if (result.hasNext && isRecord(result.data)) this.#walk(this.#selections(), result.data, [], pending)
    if (!result.hasNext && this.#open.size === 0 && result.data === undefined && result.errors === undefined)
      return { hasNext: false }
    return { ...result, ...(pending.length === 0 ? {} : { pending }) }
  }

  #closeAll(): object[] {
    const completed = [...this.#open.values()].map(({ id }) => ({ id }))
    this.#open.clear()
    return completed
  }

  #announce(path: Path, label: string | undefined, announced: Pending[]): Pending {
    const pending: Pending = { id: String(this.#ids++), path, ...(label === undefined ? {} : { label }) }
    this.#open.set(keyOf(path, label), pending)
    announced.push(pending)
    return pending
  }

  #selections(): SelectionSetNode {
    const { document, operationName } = this.#operation
    const operations = document.definitions.filter(node => node.kind === Kind.OPERATION_DEFINITION)
    const found = operations.find(({ name }) => operationName === null || name?.value === operationName)
    return found!.selectionSet
  }

  #fragment(name: string): FragmentDefinitionNode | undefined {
    return this.#operation.document.definitions.find(
      node => node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name,
    ) as FragmentDefinitionNode | undefined
  }

  /** Announces the deferred fragments and streamed fields of an object that the first result has. */
  #walk({ selections }: SelectionSetNode, data: Record<string, unknown>, path: Path, pending: Pending[]): void {
    for (const selection of selections) {
      const directives = selection.directives ?? []
      if (selection.kind === Kind.FIELD) {
        const name = selection.alias?.value ?? selection.name.value
        const value = data[name]
        const stream = this.#active(directives, 'stream')
        if (stream !== null && Array.isArray(value)) this.#announce([...path, name], stream.label, pending)
        if (selection.selectionSet !== undefined)
          this.#walkValue(selection.selectionSet, value, [...path, name], pending)
        continue
      }
      const inner =
        selection.kind === Kind.INLINE_FRAGMENT
          ? selection.selectionSet
          : this.#fragment(selection.name.value)?.selectionSet
      const defer = this.#active(directives, 'defer')
      if (defer !== null) {
        if (!this.#open.has(keyOf(path, defer.label))) this.#announce(path, defer.label, pending)
      } else if (inner !== undefined) this.#walk(inner, data, path, pending)
    }
  }

  #walkValue(selectionSet: SelectionSetNode, value: unknown, path: Path, pending: Pending[]): void {
    if (Array.isArray(value))
      value.forEach((item, index) => this.#walkValue(selectionSet, item, [...path, index], pending))
    else if (isRecord(value)) this.#walk(selectionSet, value, path, pending)
  }

  /** The directive with this name, unless its `if` is false. */
  #active(
    directives: NonNullable<FragmentDefinitionNode['directives']>,
    wanted: string,
  ): { label: string | undefined } | null {
    const directive = directives.find(({ name }) => name.value === wanted)
    if (directive === undefined) return null
    let label: string | undefined
    for (const { name, value } of directive.arguments ?? []) {
      const known =
        value.kind === Kind.VARIABLE
          ? this.#operation.variables[value.name.value]
          : 'value' in value
            ? value.value
            : undefined
      if (name.value === 'if' && known === false) return null
      if (name.value === 'label' && typeof known === 'string') label = known
    }
    return { label }
  }
}

function keyOf(path: Path, label: string | undefined): string {
  return JSON.stringify([path, label ?? null])
}
