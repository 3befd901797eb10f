{{/* The secret with the certificate of a service, the toolbox or the tests: (dict "root" $ "name" "export"). */}}
{{- define "survey.tlsSecret" -}}
{{- default (include "survey-lib.name" (dict "root" .root "suffix" (printf "%s-tls" .name))) (index .root.Values.tls.existingSecrets .name) -}}
{{- end -}}
