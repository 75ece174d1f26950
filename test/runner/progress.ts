/** How far a run is: the number of files that have ended, and about how long the others take. */

/** Before this many files have ended, the time left is a guess. */
const MIN_FILES = 5

export class Progress {
  #files: number
  readonly #now: () => number
  readonly #startedAt: number
  #ended = 0

  /** `now` is a clock in milliseconds. */
  constructor(files: number, now: () => number = () => performance.now()) {
    this.#files = files
    this.#now = now
    this.#startedAt = now()
  }

  /** Adds files to those of the run. */
  add(files: number): void {
    this.#files += files
  }

  /** Counts a file that has ended. Returns, for example, `27 of 331, about 2 min left`. */
  next(): string {
    this.#ended++
    const counted = `${this.#ended} of ${this.#files}`
    const left = this.#files - this.#ended
    if (left <= 0 || this.#ended < MIN_FILES) return counted
    return `${counted}, about ${textOf(((this.#now() - this.#startedAt) / this.#ended) * left)} left`
  }
}

/** Seconds below a minute and a half, otherwise minutes. */
function textOf(milliseconds: number): string {
  const seconds = milliseconds / 1000
  return seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`
}
