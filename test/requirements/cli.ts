/** The command line. */
export default [
  { id: 'CLI-1', rule: 'without a command the server starts, with the file that --config names', where: 'issue 12.2' },
  {
    id: 'CLI-2',
    rule: 'an unknown command or option gives exit code 2 and a suggestion',
    where: 'issue 12.2',
  },
  { id: 'CLI-3', rule: 'output is colored only on terminals, and not if NO_COLOR is set', where: 'issue 12.2' },
  { id: 'CLI-4', rule: 'plugins lists all plugins that were found, with states and reasons', where: 'issue 12.2' },
  { id: 'CLI-5', rule: 'routes prints the catalog of enabled endpoints', where: 'issue 12.2' },
  {
    id: 'CLI-6',
    rule: 'check reports every mistake with file, line, column and remedy; the exit code tells whether there are errors',
    where: 'issue 12.2',
  },
  { id: 'CLI-7', rule: 'inspecting a configuration opens no port and writes no file', where: 'issue 12.2' },
  {
    id: 'SCHEMA-1',
    rule: 'svc.schema.json is generated from the schemas that validate svc.yaml, and is up to date',
    where: 'issue 12.3',
  },
  {
    id: 'SCHEMA-2',
    rule: 'the schema accepts the example and rejects the mistakes that the server reports',
    where: 'issue 12.3',
  },
  { id: 'SCHEMA-3', rule: 'svc schema includes the plugins of the configuration in use', where: 'issue 12.3' },
  {
    id: 'CLI-9',
    rule: 'on a terminal, the pages and first requests are printed after the start, unless --quiet, CI or JSON logs',
    where: 'distribution 7',
  },
  {
    id: 'CLI-10',
    rule: 'health tells by its exit code whether an instance is ready, and why not',
    where: 'distribution 7',
  },
  {
    id: 'CLI-11',
    rule: 'open prints the address of a page of a running instance, and opens it',
    where: 'distribution 7',
  },
  {
    id: 'CLI-12',
    rule: 'doctor checks Node, configuration, ports, certificates, folder, limits, store and programs without a change',
    where: 'distribution 7',
  },
  {
    id: 'CLI-13',
    rule: 'completion prints scripts for bash, zsh and fish, with the commands and words of plugins',
    where: 'distribution 7',
  },
  {
    id: 'CLI-14',
    rule: 'options of the server win over their variables, and values that are not valid give exit code 2',
    where: 'distribution 7',
  },
]
