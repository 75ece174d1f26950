/** What a request pays for texts of earlier requests that it brings together: before they are read and joined. */
import type { OutputBudget, OutputTooLarge } from 'svc/plugin'

/**
 * Bytes for each character of a stored record: it is parsed, becomes a part of the prompt, and may become a part of the
 * reply and of what is stored of that.
 */
const COST = 4

/**
 * Takes what a stored text costs that becomes a part of the prompt: call it before it is parsed. Throws `OutputTooLarge` or
 * `OutputUnavailable`.
 */
export function takeHistory(output: OutputBudget, characters: number): void {
  output.take(COST * characters)
}

/** Why a history is refused, to be shown to the client. */
export function historyTooLong({ limit }: Pick<OutputTooLarge, 'limit'>): string {
  return `what came before would take more than ${limit} bytes (SVC_BUDGET_OUTPUT_BYTES)`
}

/** The most characters of stored records that one request can bring together. */
export function maxHistory({ outputBytes }: { outputBytes: number }): number {
  return Math.floor(outputBytes / COST)
}
