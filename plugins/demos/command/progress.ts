/** How far a step is, on a terminal: one line that is redrawn while traffic runs. */
import type { CommandContext } from 'svc/plugin'

const REDRAW_MS = 100

export class StepProgress {
  readonly #err: CommandContext['err']
  readonly #isLive: boolean
  #sent = 0
  #answered = 0
  #drawnAtMs = 0

  constructor({ err, environment }: Pick<CommandContext, 'err' | 'environment'>, isShown: boolean) {
    this.#err = err
    const isPlain = Boolean(environment.NO_COLOR) || Boolean(environment.CI) || environment.TERM === 'dumb'
    this.#isLive = isShown && !isPlain && err.isTTY === true
  }

  begin(): void {
    this.#sent = 0
    this.#answered = 0
    this.#drawnAtMs = 0
  }

  sent(step: { number: number; title: string }): void {
    this.#sent++
    this.#draw(step)
  }

  answered(step: { number: number; title: string }): void {
    this.#answered++
    this.#draw(step)
  }

  clear(): void {
    if (this.#isLive) this.#err.write('\r\u001b[K')
  }

  #draw({ number, title }: { number: number; title: string }): void {
    if (!this.#isLive || performance.now() - this.#drawnAtMs < REDRAW_MS) return
    this.#drawnAtMs = performance.now()
    this.#err.write(`\r\u001b[K  ${number}. ${title}: ${this.#sent} sent, ${this.#answered} answered`)
  }
}
