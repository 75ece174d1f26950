/** One line that says why something failed: no stack, no list of who required it. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n', 1)[0]!
}
