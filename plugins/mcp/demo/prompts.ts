/** Owns the three demo prompts. */
import type { PromptDefinition } from '../types.ts'
import { FOCUSES, LANGUAGES, SERVICES, SEVERITIES, STYLES } from './completions.ts'
import { textContent } from './tools/define.ts'

const summarize: PromptDefinition = {
  name: 'summarize',
  title: 'Summarize',
  description: 'Asks for a summary of a text.',
  arguments: [
    { name: 'text', description: 'The text to summarize', required: true },
    { name: 'style', description: 'Style: bullets, paragraph or tldr', complete: STYLES },
  ],
  get: ({ text = '', style = 'bullets' }) => ({
    messages: [{ role: 'user', content: textContent(`Summarize the following text. Style: ${style}.\n\n${text}`) }],
  }),
}

const codeReview: PromptDefinition = {
  name: 'code_review',
  title: 'Code review',
  description: 'Asks for a review of code.',
  arguments: [
    { name: 'code', description: 'The code to review', required: true },
    { name: 'language', description: 'Programming language', complete: LANGUAGES },
    { name: 'focus', description: 'Focus: correctness, performance, readability or security', complete: FOCUSES },
  ],
  get: ({ code = '', language = '', focus = 'correctness' }) => ({
    messages: [
      {
        role: 'user',
        content: textContent(`Review this code. Focus: ${focus}.\n\n\`\`\`${language}\n${code}\n\`\`\``),
      },
      {
        role: 'assistant',
        content: textContent(`I will review it for ${focus} and name the most important finding first.`),
      },
    ],
  }),
}

const RUNBOOK = [
  '1. Acknowledge the page and open an incident channel.',
  '2. Look at the dashboards: error rate, latency, saturation.',
  '3. Undo the latest change of the service if it fits the time.',
  '4. Tell users and the next level every thirty minutes.',
  '5. Write down what happened while it is fresh.',
].join('\n')

const incidentReport: PromptDefinition = {
  name: 'incident_report',
  title: 'Incident report',
  description: 'Asks for a report on an incident; the runbook is embedded.',
  arguments: [
    { name: 'service', description: 'The affected service', required: true, complete: SERVICES },
    { name: 'severity', description: 'Severity: sev1 to sev4', complete: SEVERITIES },
    { name: 'summary', description: 'What is known so far' },
  ],
  get: ({ service = '', severity = 'sev3', summary = '' }) => ({
    messages: [
      {
        role: 'user',
        content: textContent(
          `Write an incident report for ${service} (${severity}).${summary ? ` Known so far: ${summary}` : ''} Follow the runbook.`,
        ),
      },
      {
        role: 'user',
        content: { type: 'resource', resource: { uri: 'svc://docs/runbook', mimeType: 'text/plain', text: RUNBOOK } },
      },
    ],
  }),
}

export const demoPrompts: PromptDefinition[] = [summarize, codeReview, incidentReport]
