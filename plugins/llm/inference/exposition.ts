/** Prometheus text format 0.0.4. */
import type { Histogram } from './histogram.ts'

export type Labels = Readonly<Record<string, string>>

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export class Exposition {
  #text = ''

  add(
    name: string,
    type: 'gauge' | 'counter',
    help: string,
    samples: readonly { labels: Labels; value: number }[],
  ): void {
    this.#head(name, type, help)
    for (const { labels, value } of samples) this.#sample(name, labels, value)
  }

  addHistogram(name: string, help: string, samples: readonly { labels: Labels; histogram: Histogram }[]): void {
    this.#head(name, 'histogram', help)
    for (const { labels, histogram } of samples) {
      for (const [index, count] of histogram.cumulative().entries())
        this.#sample(`${name}_bucket`, { ...labels, le: showBound(histogram.bounds[index]!) }, count)
      this.#sample(`${name}_bucket`, { ...labels, le: '+Inf' }, histogram.count)
      this.#sample(`${name}_count`, labels, histogram.count)
      this.#sample(`${name}_sum`, labels, histogram.sum)
    }
  }

  text(): string {
    return this.#text
  }

  #head(name: string, type: string, help: string): void {
    this.#text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
  }

  #sample(name: string, labels: Labels, value: number): void {
    const list = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`)
    this.#text += `${name}{${list.join(',')}} ${value}\n`
  }
}

/** Whole numbers with a decimal, as Python prints them: clients compare the text. */
function showBound(bound: number): string {
  return Number.isInteger(bound) ? `${bound}.0` : String(bound)
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
