{{/*
An image reference; a digest overrides a tag. Argument: (dict "root" $ "image" (dict "repository" … "tag" … "digest" …)).
*/}}
{{- define "survey-lib.image" -}}
{{- $repository := .image.repository -}}
{{- with .root.Values.global.imageRegistry }}{{- $repository = printf "%s/%s" (trimSuffix "/" .) $repository -}}{{- end -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $repository .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository .image.tag -}}
{{- end -}}
{{- end -}}
