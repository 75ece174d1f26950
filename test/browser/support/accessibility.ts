/** Checks a page with axe-core, in both themes. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

interface Finding {
  id: string
  nodes: { target: unknown[]; failureSummary?: string }[]
}

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Rules of axe that depend on colors; the others have the same result in both themes. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/** Violations, and content wider than the window, each as a sentence with theme and element. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const problems: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    // Wait until the transition of colors between the themes is over.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
    // Evaluated, since the page's policy blocks script elements.
    await page.evaluate(`if (!window.axe) { ${source} }`)
    const options = { resultTypes: ['violations'], ...(colorScheme === 'dark' ? { runOnly: COLOR_RULES } : {}) }
    const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as { violations: Finding[] }
    for (const { id, nodes } of violations)
      problems.push(
        ...nodes.map(
          ({ target, failureSummary }) => `${colorScheme}: ${id} at ${target.join(' ')}: ${failureSummary ?? ''}`,
        ),
      )
  }
  const overflow = (await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )) as number
  return overflow > 0 ? [...problems, `${overflow} px wider than the window`] : problems
}
