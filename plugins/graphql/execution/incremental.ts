/** `@defer` and `@stream`: results in parts, by the executor of graphql-tools, which graphql-js 16 does not have. */
import { visit, BREAK, type DocumentNode, type ExecutionArgs, type ExecutionResult } from 'graphql'
import type { IncrementalResult } from '../wire/multipart/incremental.ts'

/** Whether the document has one of the directives. */
export function isIncremental(document: DocumentNode): boolean {
  let isFound = false
  visit(document, {
    Directive({ name }) {
      if (name.value !== 'defer' && name.value !== 'stream') return undefined
      isFound = true
      return BREAK
    },
  })
  return isFound
}

/** The result in parts, the first with `data`; or a single one, if nothing of it comes later. */
export async function executeInParts(
  args: ExecutionArgs,
  signal: AbortSignal | undefined,
): Promise<AsyncIterableIterator<IncrementalResult> | ExecutionResult> {
  // Loaded with the first such operation, because it would slow down the start.
  const { execute } = await import('@graphql-tools/executor')
  const outcome = await execute({ ...args, ...(signal === undefined ? {} : { signal }) } as Parameters<
    typeof execute
  >[0])
  if (!('initialResult' in outcome)) return outcome as ExecutionResult
  return new Parts(outcome.initialResult as IncrementalResult, outcome.subsequentResults)
}

/** An iterator whose `return()` reaches the executor while `next()` waits. */
class Parts implements AsyncIterableIterator<IncrementalResult> {
  #first: IncrementalResult | null
  readonly #rest: AsyncGenerator<unknown, void, void>

  constructor(first: IncrementalResult, rest: AsyncGenerator<unknown, void, void>) {
    this.#first = first
    this.#rest = rest
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<IncrementalResult>> {
    const first = this.#first
    if (first === null) return (await this.#rest.next()) as IteratorResult<IncrementalResult>
    this.#first = null
    return { done: false, value: first }
  }

  async return(): Promise<IteratorResult<IncrementalResult>> {
    this.#first = null
    await this.#rest.return()
    return { done: true, value: undefined }
  }
}
