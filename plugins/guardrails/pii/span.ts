/** A range of a text in UTF-16 indexes, and iteration over runs of digits. */

export interface Span {
  start: number
  end: number
}

export function isDigitAt(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  return unit >= 0x30 && unit <= 0x39
}

/** Every maximal run of ASCII digits, from left to right. */
export function* digitRuns(text: string): Generator<Span> {
  for (let index = 0; index < text.length; index++) {
    if (!isDigitAt(text, index)) continue
    const start = index
    while (isDigitAt(text, index)) index++
    yield { start, end: index }
  }
}
