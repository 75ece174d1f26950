/** What the exports promise. */
export default [
  {
    id: 'EXPORT-1',
    rule: '/export lists every format that has something to say, with title, path, media type and file name.',
    where: 'console 6',
  },
  {
    id: 'EXPORT-2',
    rule: 'Every file has its type and file name, is not to be stored, and answers GET and HEAD alone.',
    where: 'console 6',
  },
  { id: 'EXPORT-3', rule: 'A format whose plugin is off is neither listed nor served.', where: 'console 6' },
  {
    id: 'EXPORT-4',
    rule: 'base_url is the base URL of the request, or an absolute http(s) URL of safe characters; anything else is invalid base_url.',
    where: 'console 6; 7',
  },
  {
    id: 'EXPORT-5',
    rule: 'category and plugin narrow every file; unknown and empty ones are 400 and say what there is.',
    where: 'console 6',
  },
  {
    id: 'EXPORT-6',
    rule: 'Each collection is valid by its own library and holds every example of the catalog, WebSockets and live feeds aside.',
    where: 'console 6; 8',
  },
  {
    id: 'EXPORT-7',
    rule: 'Hostile values go through each format’s own escaping and come out as they were; what a format can’t hold is left out with a comment.',
    where: 'console 6',
  },
  {
    id: 'EXPORT-8',
    rule: 'curl.sh is a bash script that sends every request, one command on one line, and goes on after a failure.',
    where: 'console 6',
  },
  {
    id: 'EXPORT-9',
    rule: 'Requests of the .http file and of the HAR get the answers that the catalog announces.',
    where: 'console 6; 8',
  },
  {
    id: 'EXPORT-10',
    rule: 'The k6 script sends every request once, in a group for each category, with a check each.',
    where: 'console 6',
  },
  {
    id: 'EXPORT-11',
    rule: 'kong.yaml has one service with a route for each plugin and one for the instance; control plane and console are not in it.',
    where: 'console 6',
  },
  {
    id: 'EXPORT-12',
    rule: 'litellm.yaml has a model for each provider that LiteLLM speaks, and never a real key.',
    where: 'console 6',
  },
  { id: 'EXPORT-13', rule: 'mcp.json names every MCP server, those of svc.yaml too.', where: 'console 6' },
  {
    id: 'EXPORT-14',
    rule: 'prometheus.yml scrapes the metrics, with the credential as a comment where one is needed.',
    where: 'console 6',
  },
  { id: 'EXPORT-15', rule: '/openapi.yaml is the document of /openapi.json.', where: 'console 6' },
  {
    id: 'EXPORT-17',
    rule: 'gateway-api.yaml has valid HTTPRoutes for every plugin and a Service for the instance; a base path is put before each prefix.',
    where: 'console 9.3',
  },
  {
    id: 'EXPORT-16',
    rule: 'The console shows every format with its description, and downloads, copies and shows it for a base URL and a category.',
    where: 'console 4',
  },
]
