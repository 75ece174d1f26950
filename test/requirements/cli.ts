/** The command line. */
export default [
  { id: 'CLI-1', rule: 'without a command the server starts, with the file that --config names', where: 'issue 12.2' },
  {
    id: 'CLI-2',
    rule: 'an unknown command or option is exit code 2 and named with the nearest known one',
    where: 'issue 12.2',
  },
  { id: 'CLI-3', rule: 'colors are for terminals, and not where NO_COLOR is set', where: 'issue 12.2' },
  { id: 'CLI-4', rule: 'plugins lists what was found with states and reasons', where: 'issue 12.2' },
  { id: 'CLI-5', rule: 'routes prints the catalog of what is on', where: 'issue 12.2' },
  {
    id: 'CLI-6',
    rule: 'check names every mistake with file, line, column and remedy, and says by its exit code whether there is one',
    where: 'issue 12.2',
  },
  { id: 'CLI-7', rule: 'looking at a configuration opens no port and writes no file', where: 'issue 12.2' },
  {
    id: 'SCHEMA-1',
    rule: 'svc.schema.json is made of the schemas that check svc.yaml, and is current',
    where: 'issue 12.3',
  },
  {
    id: 'SCHEMA-2',
    rule: 'the example passes the schema, and mistakes that a start reports do not',
    where: 'issue 12.3',
  },
  { id: 'SCHEMA-3', rule: 'svc schema knows the plugins of the configuration in use', where: 'issue 12.3' },
]
