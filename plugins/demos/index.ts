/** The plugin `demos`: what a gateway does, shown step by step and judged on both sides. */
import { definePlugin } from 'svc/plugin'
import type {} from '../probe/types.ts'
import { demoCommand } from './command/command.ts'

export default definePlugin({
  title: 'Guided demos',
  description:
    'Shows what a gateway does, step by step, and says whether it was seen: retries, limits, timeouts and more.',
  paths: [],
  buildsOn: ['probe'],
  command: demoCommand(import.meta.dirname),
  register() {
    // The demos are run by the command; it needs the client of the probe alone.
  },
})
