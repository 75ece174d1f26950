/** The plugin `import`: writes stubs, recordings and documents of other tools as configuration of svc. */
import { definePlugin } from 'svc/plugin'
import { importCommand } from './command/command.ts'
import { createKinds } from './command/kinds.ts'

export default definePlugin({
  title: 'Import from other tools',
  description: 'Writes stubs, recordings and documents of other tools as rules and sections of svc.yaml.',
  paths: [],
  command: importCommand,
  register(_app, svc) {
    svc.offer('import.kinds', createKinds())
  },
})
