{{/* Names of the services that are deployed, as a JSON list under "names". */}}
{{- define "survey.enabledComponents" -}}
{{- $names := list -}}
{{- range $name, $facts := include "survey-lib.components" . | fromYaml -}}
{{- $values := include "survey.component" (dict "root" $ "name" $name) | fromYaml -}}
{{- if $values.enabled }}{{- $names = append $names $name -}}{{- end -}}
{{- end -}}
{{- toJson (dict "names" (sortAlpha $names)) -}}
{{- end -}}

{{/* A service's values over the defaults, with what the chart knows about it under "facts": (dict "root" $ "name" "gateway"). */}}
{{- define "survey.component" -}}
{{- $own := index .root.Values.components .name | default dict -}}
{{- $values := mustMergeOverwrite (deepCopy .root.Values.defaults) (deepCopy $own) -}}
{{- $_ := set $values "facts" (index (include "survey-lib.components" . | fromYaml) .name) -}}
{{- toJson $values -}}
{{- end -}}

{{/* The name of everything that belongs to one service. */}}
{{- define "survey.componentName" -}}
{{- include "survey-lib.name" (dict "root" .root "suffix" .name) -}}
{{- end -}}

{{/* Where pods of the cluster find a service: (dict "root" $ "name" "export"). */}}
{{- define "survey.host" -}}
{{- printf "%s.%s.svc.%s" (include "survey.componentName" .) .root.Release.Namespace .root.Values.clusterDomain -}}
{{- end -}}

{{/* Where a bundled store is found: (dict "root" $ "store" "nats"). */}}
{{- define "survey.storeHost" -}}
{{- if .root.Values.bundled.enabled -}}
{{- printf "%s.%s.svc.%s" (include "survey-lib.storeName" (dict "root" .root "suffix" .store)) .root.Release.Namespace .root.Values.clusterDomain -}}
{{- else -}}
{{- index .root.Values .store "host" -}}
{{- end -}}
{{- end -}}

{{/* The most pods that a service can have. */}}
{{- define "survey.maxReplicas" -}}
{{- if eq .autoscaling.type "none" }}{{ int .replicas }}{{ else }}{{ int .autoscaling.maxReplicas }}{{ end -}}
{{- end -}}

{{- define "survey.minReplicas" -}}
{{- if eq .autoscaling.type "none" }}{{ int .replicas }}{{ else }}{{ int .autoscaling.minReplicas }}{{ end -}}
{{- end -}}

{{/* The image of a service, or of the release where "values" is absent: (dict "root" $ ["values" component values]). */}}
{{- define "survey.image" -}}
{{- $image := deepCopy .root.Values.image -}}
{{- with .values -}}
{{- if .image.digest -}}
{{- $image = merge (dict "digest" .image.digest) $image -}}
{{- else if .image.tag -}}
{{- $image = merge (dict "tag" .image.tag) (omit $image "digest" "tag") -}}
{{- end -}}
{{- end -}}
{{- if not (or $image.tag $image.digest) }}{{- $image = merge (dict "tag" .root.Chart.AppVersion) (omit $image "tag") -}}{{- end -}}
{{- include "survey-lib.image" (dict "root" .root "image" $image) -}}
{{- end -}}

{{/* Whether the cluster has a kind of another project: "true" or empty. (dict "root" $ "api" "monitoring.coreos.com/v1"). */}}
{{- define "survey.hasApi" -}}
{{- if or .root.Values.crds.assume (.root.Capabilities.APIVersions.Has .api) }}true{{ end -}}
{{- end -}}

{{/* hook, job or none. */}}
{{- define "survey.migrationMode" -}}
{{- if ne .Values.migrations.mode "auto" -}}
{{- .Values.migrations.mode -}}
{{- else if .Values.bundled.enabled -}}
job
{{- else -}}
hook
{{- end -}}
{{- end -}}

{{/* host:port where KEDA asks NATS for the lag: the headless service, because it asks each server. */}}
{{- define "survey.monitoringEndpoint" -}}
{{- if .Values.nats.monitoringEndpoint -}}
{{- .Values.nats.monitoringEndpoint -}}
{{- else -}}
{{- include "survey.storeHost" (dict "root" . "store" "nats") }}:8222
{{- end -}}
{{- end -}}
