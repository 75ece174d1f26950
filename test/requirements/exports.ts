/** Rules for exports. */
export default [
  {
    id: 'EXPORT-1',
    rule: '/export lists every format with content, with title, path, media type and file name.',
    where: 'console 6',
  },
  {
    id: 'EXPORT-2',
    rule: 'Every file has a type and file name, is not cached, and supports only GET and HEAD.',
    where: 'console 6',
  },
  { id: 'EXPORT-3', rule: 'A format is neither listed nor served if its plugin is disabled.', where: 'console 6' },
  {
    id: 'EXPORT-4',
    rule: 'base_url is the base URL of the request, or an absolute http(s) URL of safe characters; anything else is invalid base_url.',
    where: 'console 6; 7',
  },
  {
    id: 'EXPORT-5',
    rule: 'category, plugin and include select in every file; unknown and empty values are 400 and list the known values.',
    where: 'console 6',
  },
  {
    id: 'EXPORT-6',
    rule: 'Each collection is valid for its own library and contains every example of the catalog, except WebSockets, live streams, requests without a response, and by default requests that change the instance.',
    where: 'console 6; 8',
  },
  {
    id: 'EXPORT-7',
    rule: 'Hostile values survive the escaping of each format unchanged; what a format cannot represent is omitted with a comment.',
    where: 'console 6',
  },
  {
    id: 'EXPORT-8',
    rule: 'curl.sh is a bash script that sends every request, one command per line, and continues after a failure.',
    where: 'console 6',
  },
  {
    id: 'EXPORT-9',
    rule: 'Requests of the .http file and the HAR get the responses declared in the catalog.',
    where: 'console 6; 8',
  },
  {
    id: 'EXPORT-10',
    rule: 'The k6 script sends every request once, in a group per category, with one check per request.',
    where: 'console 6',
  },
  {
    id: 'EXPORT-11',
    rule: 'kong.yaml has one service with a route per plugin and one for the instance, without control plane and console.',
    where: 'console 6',
  },
  {
    id: 'EXPORT-12',
    rule: 'litellm.yaml has a model for each provider that LiteLLM supports, and never a real key.',
    where: 'console 6',
  },
  { id: 'EXPORT-13', rule: 'mcp.json lists every MCP server, including those of svc.yaml.', where: 'console 6' },
  {
    id: 'EXPORT-14',
    rule: 'prometheus.yml scrapes the metrics, with the credential in a comment if one is needed.',
    where: 'console 6',
  },
  { id: 'EXPORT-15', rule: '/openapi.yaml is the document of /openapi.json.', where: 'console 6' },
  {
    id: 'EXPORT-17',
    rule: 'gateway-api.yaml has valid HTTPRoutes for every plugin and a Service for the instance; a base path is prepended to each prefix.',
    where: 'console 9.3',
  },
  {
    id: 'EXPORT-16',
    rule: 'The console shows every format with its description, and downloads, copies and shows it for a base URL and a category.',
    where: 'console 4',
  },
  {
    id: 'EXPORT-18',
    rule: 'No export changes the instance: requests that do are only included on demand.',
    where: 'console 6; issue 44, 12',
  },
  {
    id: 'EXPORT-19',
    rule: 'Documented redirects are not followed, in every format that can say so.',
    where: 'console 6; issue 44, 13',
  },
  {
    id: 'EXPORT-20',
    rule: 'Each collection runs in full and without a failure in its own program, and every response has the documented status.',
    where: 'console 8; issue 44, 13',
  },
]
