/** What authors of plugins get. */
export default [
  { id: 'KIT-1', rule: 'types of the contract, of extension points and of the test helper are exported, and hold under strict settings', where: 'issue 12.1' },
  { id: 'KIT-2', rule: 'svc/testing starts and stops servers in process, for any test runner', where: 'issue 12.1' },
  { id: 'KIT-3', rule: 'every example plugin loads from outside the product and passes its own test', where: 'issue 12.1' },
  { id: 'KIT-4', rule: 'a plugin packaged for npm loads by its name', where: 'issue 12.1' },
  { id: 'KIT-5', rule: 'new-plugin writes a plugin that type-checks, loads and passes its test', where: 'issue 12.1' },
  { id: 'KIT-6', rule: 'every block of docs/plugins.md is run as it stands there', where: 'issue 12.1' },
  { id: 'CLI-8', rule: 'an installed package runs from any folder, with signals and exit codes of its own', where: 'issue 12.2' },
]
