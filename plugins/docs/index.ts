/** The plugin `docs`: the pages for people who look at the instance in a browser. */
import { definePlugin } from 'svc/plugin'
import { registerApiReference } from './api-reference.ts'
import { registerLanding } from './landing.ts'

export default definePlugin({
  title: 'Landing page and API reference',
  description: 'A page that lists all endpoints with a command for each, and an interactive API reference.',
  paths: ['/', '/docs'],
  exempt: [
    {
      path: '/',
      from: ['limits', 'keys', 'inspector'],
      reason: 'Browsers request it without a key, and it is not test traffic.',
    },
    { path: '/docs', below: true, from: ['keys'], reason: 'Browsers request its files without a key.' },
  ],
  firstSteps: [{ rank: 20, href: 'docs', text: 'Docs' }],
  register(app, svc) {
    registerLanding(app, svc)
    registerApiReference(app, svc)
  },
})
