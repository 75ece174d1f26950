/** The page of a check as text for a terminal. */
import type { Check } from '../catalog/check.ts'
import { pageOf, type CheckPage } from './check-page.ts'

export function checkText(check: Check): string {
  const { id, title, group, sources, when } = check
  const page = pageOf(check)
  const source = sources
    .map(({ spec, section }) => (section === undefined ? spec : `${spec} section ${section}`))
    .join(', ')
  return [
    `${id}  ${title}`,
    `group ${group}, impact ${page.impact}`,
    `level ${page.level.replaceAll('`', '')}`,
    `source: ${source === '' ? 'experience; no standard says it' : source}`,
    `runs: ${page.runs.replaceAll('`', '')}`,
    '',
    `Sent: ${page.sent}`,
    ...requestsOf(page),
    `Expected: ${page.expected}`,
    `Why it matters: ${page.why}`,
    `A finding: ${page.finding.replaceAll('`', '')}`,
    ...listOf('Configuration:', Object.entries(page.configure)),
    ...listOf('What wires have no word for:', Object.entries(page.cannot)),
    ...listOf(
      'Gateways, from the comparison:',
      page.gateways.map(({ result, in_http2, gateways }) => [
        in_http2 ? `HTTP/2: ${result}` : result,
        gateways.join(', '),
      ]),
    ),
    ...seenOf(page, when?.pairs === true),
    '',
    `Run it: ${page.command}`,
    '',
  ].join('\n')
}

function requestsOf({ requests, request_count }: CheckPage): string[] {
  if (requests.length === 0) return []
  const heading = request_count > requests.length ? [`The first of ${request_count} requests:`, ''] : []
  return ['', ...heading, ...requests.flatMap(text => [...text.split('\n').map(line => `    ${line}`.trimEnd()), ''])]
}

/** `isOfModels`: it says if no thread is known. */
function seenOf({ seen }: CheckPage, isOfModels: boolean): string[] {
  if (seen.length > 0) return ['', 'Seen in:', ...seen.map(url => `  ${url}`)]
  return isOfModels ? ['', 'Seen in: not seen yet'] : []
}

function listOf(heading: string, entries: readonly (readonly [string, string])[]): string[] {
  return entries.length === 0 ? [] : ['', heading, ...entries.map(([name, text]) => `  ${name}: ${text}`)]
}
